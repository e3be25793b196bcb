import FoundationEssentials
import Glibc
import SecretService
import Synchronization
import TestSupport
import Testing

@testable import SharedAuth
@testable import SharedAuthRecords

/// State files on disks that fail, or that lose data that was not synced.
struct JournalTests {
    private let place: FilePlace

    init() throws {
        place = try FilePlace()
    }

    private func file(_ steps: FileStepInterceptor = .none) -> Journal {
        Journal(
            in: Folder("\(place.root)/state"),
            appID: "com.example.Mail",
            project: "p",
            instance: "default",
            steps: steps
        )
    }

    @Test("A write returns once the choice, its name and all new directories are on disk")
    func durable() throws {
        let log = StepLog()
        try choose("group.example.one", file(log.interceptor))
        // The state directory, the app's and the project's.
        let made = [FileStep](repeating: .syncDirectory, count: 3)
        #expect(log.take() == made + [.create, .write, .sync, .rename, .syncDirectory])
        try choose("group.example.two", file(log.interceptor))
        #expect(log.take() == [.create, .write, .sync, .rename, .syncDirectory])
        // A name that reaches the disk later still never names an empty file.
        try file(log.interceptor).change(by: .patient, isNameSynced: false) { $0 = GroupChoice() }
        #expect(log.take() == [.create, .write, .sync, .rename])
        #expect(try file().read() == GroupChoice())
    }

    @Test("Root, as with sudo -E, changes nothing in the directory of another user", .enabled(if: geteuid() == 0))
    func otherOwner() throws {
        try choose("group.example.one", file())
        let path = try #require(file().path)
        let directory = String(path[..<(try #require(path.lastIndex(of: "/")))])
        let names = try FileManager.default.contentsOfDirectory(atPath: directory).sorted()
        for entry in [directory, path] { #expect(unsafe chown(entry, 65534, 65534) == 0) }
        let error = expectFailure(\AuthError.code, .stateDirectoryUnusable) {
            try choose("group.example.two", file())
        }
        #expect(error?.message.contains("belongs to user 65534") == true, "\(error?.message ?? "")")
        var status = stat()
        #expect(unsafe stat(path, &status) == 0 && status.st_uid == 65534)
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory).sorted() == names)
        #expect(try file().read().slot == .group("group.example.one"))
        #expect(unsafe chown(directory, 0, 0) == 0)
    }

    @Test(
        "If any step of a write fails, the choice is unchanged and nothing is left behind",
        arguments: [false, true]
    )
    func failing(isFirst: Bool) throws {
        let former = GroupChoice(slot: .group("group.example.former"))
        var point = 1
        while true {
            let place = try FilePlace()
            let log = StepLog(failing: point)
            let name = { (steps: FileStepInterceptor) in
                Journal(in: Folder(place.root), appID: "a", project: "p", instance: "default", steps: steps)
            }
            if !isFirst { try choose("group.example.former", name(.none)) }
            do throws(AuthError) {
                try choose("group.example.new", name(log.interceptor))
                break
            } catch {
                #expect(error.code == .stateDirectoryUnusable)
            }
            #expect(try name(.none).read() == (isFirst ? GroupChoice() : former), "step \(point)")
            let left = (try? FilePlace.names(in: "\(place.root)/a/p")) ?? []
            let others = ["default.lock", "default.machine"]
            #expect(left.filter { !others.contains($0) } == (isFirst ? [] : ["default.json"]), "step \(point)")
            point += 1
        }
        #expect(point == (isFirst ? 8 : 6))
    }

    @Test("A file system that refuses to sync a directory fails no write of the choice")
    func refusedDirectorySync() throws {
        let steps = FileStepInterceptor { step, proceed in step == .syncDirectory ? EINVAL : proceed() }
        try choose("group.example.one", file(steps))
        #expect(try file().read() == GroupChoice(slot: .group("group.example.one")))
    }

    @Test("Two processes change only their own steps, and the group only by a switch")
    func twoProcesses() throws {
        let deadline = Deadline.patient
        let (one, other) = (file(), file())
        let first = GroupChoice.Pending.deletion(of: .own, revision: Revision(counter: 1, nonce: 1))
        let second = GroupChoice.Pending.deletion(of: .own, revision: Revision(counter: 2, nonce: 2))
        try one.change(by: deadline) { choice in
            choice.slot = .group("group.example.one")
            choice.begin(first)
        }
        try other.change(by: deadline) { choice in
            choice.slot = .group("group.example.two")
            choice.begin(second)
        }
        one.strikeOut(first, by: deadline)
        #expect(try one.read() == GroupChoice(slot: .group("group.example.two"), pending: second))
    }

    @Test("A begun step is synced before its copy, is read by all, and joins the next write")
    func notes() throws {
        let deadline = Deadline.patient
        let step = GroupChoice.Pending.migration(of: "x", to: .group("group.example.one"))
        let deletion = GroupChoice.Pending.deletion(of: .own, revision: Revision(counter: 1, nonce: 1))
        let log = StepLog()
        try choose("group.example.former", file())
        try file(log.interceptor).noteBegun([step], by: deadline)
        #expect(log.take() == [.create, .write, .sync, .rename, .syncDirectory])
        #expect(try file().read() == GroupChoice(slot: .group("group.example.former"), pending: step))
        // The removal of the notes is on disk, too, once the choice includes them.
        try file(log.interceptor).change(by: deadline) { choice in
            choice.end(step)
            choice.begin(deletion)
        }
        #expect(log.take() == [.create, .write, .sync, .rename, .syncDirectory, .syncDirectory])
        #expect(try file().read().steps == [deletion])
        // The end of a step waits for no sync.
        file(log.interceptor).noteEnded(deletion, by: deadline)
        #expect(log.take() == [.create, .write, .rename])
        #expect(try file().read().steps.isEmpty)
        // Without the notes, as after a power failure, a step remains that finds nothing to do.
        let directory = "\(place.root)/state/com.example.Mail/p"
        try place.put(Array("half a no".utf8), at: "\(directory)/default.steps")
        #expect(try file().read().steps == [deletion])
        file().noteEnded(deletion, by: deadline)
        try choose("group.example.next", file())
        #expect(try FilePlace.names(in: directory).sorted() == ["default.json", "default.lock", "default.machine"])
        #expect(try file().read() == GroupChoice(slot: .group("group.example.next")))
    }

    @Test("The next writer removes only files that a process left when it died in mid-write")
    func leftovers() throws {
        try choose("group.example.one", file())
        let directory = "\(place.root)/state/com.example.Mail/p"
        for name in [
            "default.json.12-34", "default.providers.12-34", "default.machine.12-34", "other.json.12-34",
            "default.json.note",
        ] {
            try place.put([1], at: "\(directory)/\(name)")
        }
        // Files are kept while another process writes, because they may be its own.
        let hold = try FileLock(directory: directory).acquire("default.lock", by: .patient)
        expectFailure(.timedOut) {
            try file().change(by: .after(.milliseconds(20))) { $0.slot = .own }
        }
        #expect(try FilePlace.names(in: directory).contains("default.json.12-34"))
        hold.lock.release()
        try choose("group.example.two", file())
        let left = try FilePlace.names(in: directory).sorted()
        #expect(
            left == ["default.json", "default.json.note", "default.lock", "default.machine", "other.json.12-34"]
        )
    }

    @Test("A choice of the version with one step is read, and that version reads ours")
    func oneStep() throws {
        let text = #"{"pending":{"migration":{"of":"x","to":{"own":{}}}},"slot":{"own":{}},"version":1}"#
        try choose("group.example.one", file())
        try place.put(Array(text.utf8), at: "\(place.root)/state/com.example.Mail/p/default.json")
        #expect(try file().read() == GroupChoice(slot: .own, pending: .migration(of: "x", to: .own)))
        let step = GroupChoice.Pending.deletion(of: .own, revision: Revision(counter: 1, nonce: 1))
        try file().change(by: .patient) { $0.begin(step) }
        #expect(try file().read().steps == [.migration(of: "x", to: .own), step])
        let written = try place.bytes("\(place.root)/state/com.example.Mail/p/default.json")
        #expect(String(decoding: written, as: UTF8.self).contains(#""pending":{"migration""#))
    }

    private func choose(_ group: String, _ journal: Journal) throws(AuthError) {
        try journal.change(by: .patient) { $0.slot = .group(group) }
    }
}

/// Records the steps, and fails one of them.
final class StepLog: Sendable {
    private let state = Mutex<(count: Int, steps: [FileStep])>((0, []))
    private let failing: Int?

    init(failing: Int? = nil) {
        self.failing = failing
    }

    var interceptor: FileStepInterceptor {
        FileStepInterceptor { [self] step, proceed in
            let count = state.withLock { state in
                state.steps.append(step)
                state.count += 1
                return state.count
            }
            return count == failing ? EIO : proceed()
        }
    }

    func take() -> [FileStep] {
        state.withLock { state in
            defer { state.steps = [] }
            return state.steps
        }
    }
}
