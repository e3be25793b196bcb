import Dispatch
import Glibc
import SecretService
import Synchronization
import TestSupport
import Testing

@testable import SharedAuth
@testable import SharedAuthRecords

/// A stored group choice on a file system that hangs or refuses calls.
struct SilentFileSystemTests {
    private let place: FilePlace
    private let gate = Gate()
    private var directory: String { "\(place.root)/com.example.Mail/p" }

    init() throws {
        place = try FilePlace()
    }

    private func journal(
        _ access: FileAccess? = nil,
        steps: FileStepInterceptor = .none,
        lock: FileLock? = nil
    ) -> Journal {
        Journal(
            in: Folder(place.root),
            appID: "com.example.Mail",
            project: "p",
            instance: "default",
            steps: steps,
            lock: lock,
            access: access
        )
    }

    private func choose(_ group: String, _ journal: Journal, by deadline: Deadline = .patient) throws(AuthError) {
        try journal.change(by: deadline) { $0.slot = .group(group) }
    }

    private let soon = Duration.milliseconds(100)

    @Test(
        "File systems behind a network or another process are remote, others local",
        arguments: [
            (UInt32(0x6969), FileSystemKind.remote), (0xFE53_4D42, .remote), (0x6573_5546, .remote),
            (0x0102_1997, .remote),
            (0x00C3_6400, .remote), (0x5346_414F, .remote), (0xEF53, .local), (0x9123_683E, .local),
            (0x5846_5342, .local), (0x0102_1994, .local),
        ]
    )
    func kinds(type: UInt32, kind: FileSystemKind) {
        #expect(FileSystemKind(type: type) == kind)
    }

    @Test("A directory that does not exist yet is on the file system of its parent")
    func missingDirectory() {
        let names = ["\(getpid())", "none", "such"]
        for folder in [Folder("/dev/shm").folder(names[0], names[1]), Folder(inSandbox: "/dev/shm", names)] {
            #expect(FileSystemKind.type(of: folder) == 0x0102_1994)
        }
    }

    @Test("On a local file system, the calling thread does the work")
    func local() throws {
        let threads = Mutex<[pthread_t]>([])
        let access = FileAccess(fileSystem: { .local }, before: { _ in threads.withLock { $0.append(pthread_self()) } })
        try choose("group.example.one", journal(access))
        #expect(try journal(access).read(by: .patient).slot == .group("group.example.one"))
        #expect(threads.withLock { Set($0) } == [pthread_self()])
    }

    @Test("A choice that was never stored costs one file access once that is known")
    func neverStored() throws {
        let looks = Mutex(0)
        let journal = journal(FileAccess(fileSystem: { .local }, before: { _ in looks.withLock { $0 += 1 } }))
        #expect(try journal.read(by: .patient) == GroupChoice())
        looks.withLock { $0 = 0 }
        #expect(try journal.read(by: .patient) == GroupChoice())
        #expect(looks.withLock { $0 } == 1)
    }

    @Test("If the file system type is slow, the call times out and names the directory")
    func silentType() throws {
        let journal = journal(
            FileAccess(fileSystem: { [gate] in
                gate.wait()
                return .local
            })
        )
        let error = expectFailure(.timedOut) { _ = try journal.read(by: .after(soon)) }
        #expect(error?.message.contains(directory) == true)
        gate.open()
        #expect(try journal.read(by: .patient) == GroupChoice())
    }

    @Test("Any number of reads and changes end at their deadline, leaving one thread behind")
    func silentRead() throws {
        try choose("group.example.one", journal())
        let begun = Mutex(0)
        let access = FileAccess(
            fileSystem: { .remote },
            before: { [gate] _ in
                begun.withLock { $0 += 1 }
                gate.wait()
            }
        )
        let journal = journal(access)
        for _ in 1...3 {
            let error = expectFailure(.timedOut) { _ = try journal.read(by: .after(soon)) }
            #expect(error?.message.contains(directory) == true)
            expectFailure(.timedOut) { _ = try journal.keepers(of: .own, by: .after(soon)) }
        }
        #expect(begun.withLock { $0 } == 1)
        expectFailure(.timedOut) { try choose("group.example.two", journal, by: .after(soon)) }
        gate.open()
        #expect(try journal.read(by: .patient).slot == .group("group.example.one"))
        try choose("group.example.two", journal)
        #expect(try journal.read(by: .patient).slot == .group("group.example.two"))
    }

    @Test(
        "An abandoned change takes effect only if its rename had begun, as the error says",
        arguments: [(FileStep.create, AuthErrorCode.timedOut), (.sync, .timedOut), (.rename, .outcomeUnknown)]
    )
    func silentWrite(step: FileStep, code: AuthErrorCode) throws {
        try choose("group.example.one", journal())
        let steps = FileStepInterceptor { [gate] performed, proceed in
            if performed == step { gate.wait() }
            return proceed()
        }
        let journal = journal(FileAccess(fileSystem: { .remote }), steps: steps)
        expectFailure(code) { try choose("group.example.two", journal, by: .after(soon)) }
        gate.open()
        // The lock is free once the abandoned thread is done.
        let hold = try FileLock(directory: directory).acquire("default.lock", by: .patient)
        hold.lock.release()
        let name = code == .timedOut ? "group.example.one" : "group.example.two"
        #expect(try journal.read(by: .patient).slot == .group(name))
        #expect(try FilePlace.names(in: directory).sorted() == ["default.json", "default.lock", "default.machine"])
    }

    @Test("A wait for the lock blocks no read, and the error says who holds the lock")
    func waitForLock() throws {
        try choose("group.example.one", journal())
        let journal = journal(FileAccess(fileSystem: { .remote }))
        let hold = try FileLock(directory: directory).acquire("default.lock", by: .patient)
        let failed = DispatchSemaphore(value: 0)
        let message = Mutex("")
        DispatchQueue(label: "waiting").async {
            // The last tenth is the time in which the wait for the lock can say who holds it.
            let error = expectFailure(.timedOut) {
                try choose("group.example.two", journal, by: .after(.seconds(20)))
            }
            message.withLock { $0 = error?.message ?? "" }
            failed.signal()
        }
        #expect(try journal.read(by: .patient).slot == .group("group.example.one"))
        failed.wait()
        #expect(message.withLock { $0 }.contains("did not end its change of"))
        hold.lock.release()
    }

    @Test(
        "A full disk is storeFull; a read-only or failing one is stateDirectoryUnusable",
        arguments: [
            (ENOSPC, AuthErrorCode.storeFull), (EDQUOT, .storeFull), (EROFS, .stateDirectoryUnusable),
            (EACCES, .stateDirectoryUnusable), (EIO, .stateDirectoryUnusable),
        ]
    )
    func refusedWrite(number: Int32, code: AuthErrorCode) throws {
        for refused in [FileStep.create, .write, .sync, .rename, .syncDirectory] {
            let steps = FileStepInterceptor { step, proceed in step == refused ? number : proceed() }
            let error = expectFailure(code) { try choose("group.example.one", journal(steps: steps)) }
            #expect(error?.remedy != nil)
            // Notes are not synced.
            if refused == .sync { continue }
            expectFailure(code) { try journal(steps: steps).noteBegun([.migration(of: "x", to: .own)], by: .patient) }
            if refused == .rename { break }
        }
        #expect(try journal().read(by: .patient) == GroupChoice())
    }

    @Test(
        "A file system without locks has its own error code, for choices and for stores",
        arguments: [ENOLCK, EOPNOTSUPP, ENOSYS]
    )
    func noLocks(number: Int32) throws {
        let lock = FileLock(directory: directory) { _, _ in number }
        let error = expectFailure(.fileLocksUnavailable) { try choose("group.example.one", journal(lock: lock)) }
        #expect(error?.message.contains(directory) == true && error?.remedy != nil)
        #expect(try journal().read(by: .patient) == GroupChoice())
        do throws(RecordStoreError) {
            _ = try lock.acquire("record", by: .patient)
            Issue.record("The lock was acquired.")
        } catch {
            #expect(error.authErrorCode == .fileLocksUnavailable)
        }
    }

    @Test("Another failure of a lock is not reported as missing locks")
    func failingLock() {
        let lock = FileLock(directory: directory) { _, _ in EIO }
        expectFailure(.stateDirectoryUnusable) { try choose("group.example.one", journal(lock: lock)) }
    }
}

/// Blocks threads until it is opened.
private final class Gate: Sendable {
    private let semaphore = DispatchSemaphore(value: 0)

    func wait() {
        semaphore.wait()
        semaphore.signal()
    }

    func open() { semaphore.signal() }
}
