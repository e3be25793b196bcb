import FoundationEssentials
import Glibc
import SecretService
import TestSupport
import Testing

@testable import SharedAuth
@testable import SharedAuthRecords

/// The cost of reading and storing a group choice when nothing has changed.
struct UnchangedChoiceTests {
    private let place: FilePlace
    private var directory: String { "\(place.root)/com.example.Mail/p" }

    init() throws {
        place = try FilePlace()
    }

    /// Returns a journal that reads its files long after they were written.
    private func journal(_ steps: FileStepInterceptor = .none, after seconds: TimeInterval = 3600) -> Journal {
        Journal(
            in: Folder(place.root),
            appID: "com.example.Mail",
            project: "p",
            instance: "default",
            steps: steps,
            clock: { Date().addingTimeInterval(seconds) }
        )
    }

    private func choose(_ group: String) throws {
        try journal().change(by: .patient) { $0.slot = .group(group) }
    }

    @Test("A choice is opened once, and again after another process has replaced it")
    func replaced() throws {
        try choose("group.example.one")
        let reader = journal()
        let opened = try OpenedFiles(in: directory)
        for _ in 1...3 { #expect(try reader.read().slot == .group("group.example.one")) }
        #expect(opened.take() == ["default.machine", "default.json"])

        try choose("group.example.two")
        _ = opened.take()
        for _ in 1...3 { #expect(try reader.read().slot == .group("group.example.two")) }
        #expect(opened.take() == ["default.json"])

        let step = GroupChoice.Pending.migration(of: "x", to: .own)
        try journal().noteBegun([step], by: .patient)
        _ = opened.take()
        for _ in 1...3 { #expect(try reader.read().steps == [step]) }
        #expect(opened.take() == ["default.json", "default.steps"])

        for name in ["json", "steps"] { try FileManager.default.removeItem(atPath: "\(directory)/default.\(name)") }
        #expect(try reader.read() == GroupChoice())
    }

    @Test("A choice that was just written is opened each time")
    func justWritten() throws {
        try choose("group.example.one")
        // The reader's time is before the write, as after a clock was set back.
        let reader = journal(after: -3600)
        let opened = try OpenedFiles(in: directory)
        for _ in 1...2 { #expect(try reader.read().slot == .group("group.example.one")) }
        #expect(opened.take() == ["default.machine", "default.json", "default.json"])
    }

    @Test(
        "A stamp is trusted once the file's time of change cannot repeat",
        arguments: [(500_000_000, 0.01, false), (500_000_000, 0.03, true), (0, 1.5, false), (0, 2.5, true)]
    )
    func settled(nanoseconds: Int, age: TimeInterval, isSettled: Bool) {
        var status = stat()
        status.st_ctim = timespec(tv_sec: 1_000_000, tv_nsec: nanoseconds)
        let written = Date(timeIntervalSince1970: 1_000_000 + Double(nanoseconds) / 1e9)
        #expect(FileStamp(status).isSettled(at: written + age) == isSettled)
    }

    @Test("A change that changes nothing takes no lock and writes nothing")
    func noChange() throws {
        let fresh = journal()
        #expect(try fresh.change(by: .patient) { $0.slot = .own } == GroupChoice())
        #expect(try !FilePlace.names(in: place.root).contains("com.example.Mail"))

        try choose("group.example.one")
        let log = StepLog()
        let hold = try FileLock(directory: directory).acquire("default.lock", by: .patient)
        let choice = try journal(log.interceptor).change(by: .after(.zero)) { $0.slot = .group("group.example.one") }
        #expect(choice == GroupChoice(slot: .group("group.example.one")))
        #expect(log.take().isEmpty)
        expectFailure(.timedOut) { try journal().change(by: .after(.zero)) { $0.slot = .own } }
        hold.lock.release()
    }

    @Test("An app can choose its group again while the stored choice cannot be locked")
    func groupChosenAgain() async throws {
        let (app, group) = (MemoryApp(), "group.example.one")
        let auth = try app.start()
        try await auth.useUserAccessGroup(group, timeout: .seconds(20))
        let hold = try FileLock(directory: "\(app.directory)/\(app.id)/p").acquire("default.lock", by: .patient)
        try await auth.useUserAccessGroup(group, timeout: .milliseconds(500))
        #expect(auth.userAccessGroup == group)
        hold.lock.release()
    }
}

/// The files of a directory that this or another process opens, in order. Two successive opens would be one
/// notification; the close between them separates them.
private final class OpenedFiles {
    private let queue: Int32

    init(in directory: String) throws {
        queue = inotify_init1(Int32(IN_NONBLOCK) | Int32(IN_CLOEXEC))
        try #require(unsafe inotify_add_watch(queue, directory, UInt32(IN_OPEN | IN_CLOSE)) >= 0)
    }

    deinit { close(queue) }

    func take() -> [String] {
        Notification.read(from: queue).filter { $0.mask & UInt32(IN_OPEN) != 0 && !$0.name.isEmpty }.map(\.name)
    }
}
