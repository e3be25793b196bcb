import DesktopSupport
import Dispatch
import FoundationEssentials
import Glibc
import SecretService
import Synchronization
import TestSupport
import Testing

@testable import SharedAuth
@testable import SharedAuthRecords

struct LockTests {
    private let directory = TestDirectory.newPath()

    @Test("Turns of one name exclude each other, and each is granted", arguments: ["threads", "file"])
    func exclusion(kind: String) async throws {
        let threads = NamedLocks()
        let tally = Tally()
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<8 {
                // Each task has its own, as each process has, so that turns among threads do not separate the tasks.
                let files = FileLock(directory: directory)
                group.addTask {
                    for _ in 0..<25 {
                        let deadline = Deadline.patient
                        let lock: any RecordLock
                        do {
                            lock =
                                kind == "file"
                                ? try files.acquire("x", by: deadline).lock
                                : try threads.acquire("x", by: deadline)
                        } catch {
                            Issue.record(error)
                            break
                        }
                        tally.enter()
                        // Gives another thread time to enter wrongly.
                        sched_yield()
                        tally.leave()
                        lock.release()
                    }
                }
            }
        }
        #expect(tally.most == 1)
        #expect(tally.total == 200)
    }

    @Test("A lock that is not granted in time is an error and does not affect later ones")
    func timeout() throws {
        let files = FileLock(directory: directory)
        let other = FileLock(directory: directory)
        let held = try files.acquire("x", by: .patient)
        for contender in [files, other] {
            let error = failure { try contender.acquire("x", by: .after(.milliseconds(30))) }
            #expect(error?.code == .timedOut)
            // Both belong to this process.
            #expect(error?.lockWait?.holder == .thisProcess)
        }
        held.lock.release()
        try other.acquire("x", by: .patient).lock.release()
    }

    @Test("A wait for another thread's lock ends when it is cancelled")
    func cancelled() throws {
        let threads = NamedLocks()
        let held = try threads.acquire("x", by: .patient)
        let (cancellation, ends) = (Cancellation(), Recorder<RecordStoreError?>())
        DispatchQueue(label: "waiting").async {
            ends.record(failure { try threads.acquire("x", by: .after(.seconds(600), cancelledBy: cancellation)) })
        }
        cancellation.cancel()
        #expect(try #require(ends.first { _ in true })?.code == .timedOut)
        held.release()
        try threads.acquire("x", by: .patient).release()
    }

    @Test("A released lock is free although a forked child has the file open")
    func forkedChild() throws {
        let held = try FileLock(directory: directory).acquire("x", by: .patient)
        let child = try ForkedChild()
        held.lock.release()
        try FileLock(directory: directory).acquire("x", by: .after(.seconds(20))).lock.release()
        withExtendedLifetime(child) {}
    }

    @Test("A timed-out wait names the child with the lock; this process only for its own")
    func inheritedLock() throws {
        let own = try FileLock(directory: directory).acquire("x", by: .patient)
        let contender = FileLock(directory: directory)
        func refusal() -> RecordStoreError? { failure { try contender.acquire("x", by: .after(.milliseconds(30))) } }
        #expect(refusal()?.lockWait?.holder == .thisProcess)
        own.lock.release()
        var heir: ForkedChild? = try ForkedChild.inheritingLock(on: "\(directory)/x").child
        let error = try #require(refusal())
        #expect(error.message.contains("(process \(heir?.processID ?? 0)), which is running, did not end"), "\(error)")
        heir = nil
        try contender.acquire("x", by: .patient).lock.release()
    }

    @Test("Only a process that has ended is said to have ended")
    func parentOfHolder() {
        for (hasEnded, words) in [(true, ", which has ended,"), (false, "")] {
            let wait = LockWait(.child(of: 4711, hasEnded: hasEnded), since: .now)
            #expect(wait.sentence(on: "its work").hasPrefix("A child of process 4711\(words) did not end its work"))
        }
    }

    @Test("Two locks on one directory exclude each other as two processes do")
    func twoOwners() throws {
        let (refused, done) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let one = FileLock(directory: directory)
        let two = FileLock(directory: directory) { file, operation in
            let number = Self.lock(file, operation)
            if number == EWOULDBLOCK { refused.signal() }
            return number
        }
        let held = try one.acquire("x", by: .patient)
        let order = Order()
        DispatchQueue.global().async {
            let hold = try? two.acquire("x", by: .patient)
            order.append("two")
            hold?.lock.release()
            done.signal()
        }
        #expect(refused.wait(timeout: .now() + 120) == .success)
        order.append("one")
        held.lock.release()
        #expect(done.wait(timeout: .now() + 120) == .success)
        #expect(order.names == ["one", "two"])
    }

    @Test("A file that cannot be locked is an error with a remedy, never a lock", arguments: [ENOLCK, EINVAL])
    func unlockable(number: Int32) throws {
        let files = FileLock(directory: directory) { _, _ in number }
        for _ in 1...2 {
            let error = try #require(failure { try files.acquire("x", by: .patient) })
            #expect(error.code == .failed)
            #expect(error.message.contains(SystemError(number: number).description))
            #expect(error.remedy != nil)
            #expect(!error.outcomeIsUnknown)
        }
        try FileLock(directory: directory).acquire("x", by: .patient).lock.release()
    }

    @Test("A directory that cannot be made is an error with reason and remedy, never a lock")
    func unmakeable() throws {
        try Data().write(to: URL(filePath: directory))
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let error = try #require(
            failure { try FileLock(directory: "\(directory)/locks").acquire("x", by: .patient) }
        )
        #expect(error.code == .failed)
        #expect(error.message.contains(SystemError(number: ENOTDIR).description))
        #expect(error.remedy != nil)
    }

    /// What keeps a directory from being this user's alone.
    enum Openness: CaseIterable {
        case writableForGroup, writableForAll, ofAnotherUser

        /// Only root can give a directory to another user.
        static var possible: [Openness] { geteuid() == 0 ? allCases : [.writableForGroup, .writableForAll] }
    }

    @Test(
        "A directory in which others may write holds no locks, and its links are not followed",
        arguments: Openness.possible
    )
    func directoryOfOthers(_ openness: Openness) throws {
        let (path, victim) = ("\(directory)/shared", "\(directory)/victim")
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        let lock = CrossProcessLocking.file(directory: path).makeLock(on: SecretService())
        let locks = { (name: String) throws(RecordStoreError) in try lock.acquire(name, by: .patient) {} }
        try locks("free").hold.lock.release()
        #expect(unsafe symlink(victim, "\(path)/x") == 0)
        let link = try #require(failure { try locks("x") })
        #expect(link.message.contains(SystemError(number: ELOOP).description) && link.remedy != nil)
        switch openness {
        case .writableForGroup: #expect(unsafe chmod(path, 0o770) == 0)
        case .writableForAll: #expect(unsafe chmod(path, 0o1777) == 0)
        case .ofAnotherUser: #expect(unsafe chown(path, 1, 1) == 0)
        }
        for name in ["free", "x", "new"] {
            let error = try #require(failure { try locks(name) })
            #expect(error.message.contains(path))
            #expect(
                error.remedy == "Name a directory that belongs to this user, and in which only this user may write."
            )
        }
        #expect(
            !FileManager.default.fileExists(atPath: victim) && !FileManager.default.fileExists(atPath: "\(path)/new")
        )
    }

    @Test("Missing directories are made private, and made again after they are removed")
    func makesDirectories() throws {
        let (path, deadline) = ("\(directory)/one/two", Deadline.patient)
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let files = FileLock(directory: path)
        for _ in 1...2 {
            try files.acquire("x", by: deadline).lock.release()
            var status = stat()
            #expect(unsafe stat(path, &status) == 0 && status.st_mode & 0o777 == 0o700)
            try FileManager.default.removeItem(atPath: directory)
        }
    }

    @Test("A file that can no longer be locked once it is free is an error too")
    func unlockableLater() throws {
        let held = try FileLock(directory: directory).acquire("x", by: .patient)
        let calls = Mutex(0)
        let files = FileLock(directory: directory) { file, operation in
            let isFirst = calls.withLock { calls in
                calls += 1
                return calls == 1
            }
            return isFirst
                ? Self.lock(file, operation) : calls.withLock { $0 == 2 } ? ENOLCK : Self.lock(file, operation)
        }
        let error = try #require(failure { try files.acquire("x", by: .patient) })
        #expect(error.code == .failed)
        held.lock.release()
        try files.acquire("x", by: .patient).lock.release()
    }

    @Test("A signal that arrives while locking neither takes a lock nor loses one", arguments: [false, true])
    func interrupted(isFree: Bool) throws {
        let one = FileLock(directory: directory)
        let held = try one.acquire("x", by: .patient)
        if isFree { held.lock.release() }
        let calls = Mutex(0)
        let two = FileLock(directory: directory) { file, operation in
            let call = calls.withLock { calls in
                calls += 1
                return calls
            }
            // Interrupts the first call, and the one that waits.
            if call == 1 || call == 3 { return EINTR }
            if call == 4 { held.lock.release() }
            return Self.lock(file, operation)
        }
        let hold = try two.acquire("x", by: .patient)
        #expect(calls.withLock { $0 } == (isFree ? 2 : 4))
        #expect(failure { try one.acquire("x", by: .after(.milliseconds(30))) }?.code == .timedOut)
        hold.lock.release()
    }

    @Test("A removed lock file gives no second lock while a new one is held")
    func removedFile() throws {
        let held = try FileLock(directory: directory).acquire("x", by: .patient)
        let removed = Self.inode("\(directory)/x")
        let (waits, next) = (DispatchSemaphore(value: 0), Recorder<String>())
        let late = FileLock(directory: directory) { file, operation in
            var status = stat()
            let isRemoved = unsafe fstat(file, &status) == 0 && status.st_ino == removed
            let number = Self.lock(file, operation)
            if number == EWOULDBLOCK {
                if isRemoved { waits.signal() } else { next.record("refused") }
            }
            return number
        }
        DispatchQueue(label: "late").async {
            guard let hold = try? late.acquire("x", by: .patient) else { return }
            next.record("late")
            hold.lock.release()
        }
        #expect(waits.wait(timeout: .now() + 120) == .success)
        try FileManager.default.removeItem(atPath: "\(directory)/x")
        let new = try FileLock(directory: directory).acquire("x", by: .patient)
        held.lock.release()
        #expect(next.first { _ in true } == "refused")
        new.lock.release()
        #expect(next.take { $0 == "late" } != nil)
    }

    @Test("Locking a file renews its times, so that no cleanup by age removes it")
    func youngFile() throws {
        try FileLock(directory: directory).acquire("x", by: .patient).lock.release()
        let old = [timespec(tv_sec: 1, tv_nsec: 0), timespec(tv_sec: 1, tv_nsec: 0)]
        #expect(unsafe utimensat(AT_FDCWD, "\(directory)/x", old, 0) == 0)
        let hold = try FileLock(directory: directory).acquire("x", by: .patient)
        var status = stat()
        #expect(unsafe stat("\(directory)/x", &status) == 0)
        #expect(status.st_mtim.tv_sec > 1 && status.st_atim.tv_sec > 1)
        hold.lock.release()
    }

    private static func inode(_ path: String) -> ino_t {
        var status = stat()
        return unsafe stat(path, &status) == 0 ? status.st_ino : 0
    }

    private static func lock(_ file: Int32, _ operation: Int32) -> Int32 {
        flock(file, operation) == 0 ? 0 : errno
    }
}

/// Counts the holders of a lock.
private final class Tally: Sendable {
    private let state = Mutex((now: 0, most: 0, total: 0))

    var most: Int { state.withLock { $0.most } }
    var total: Int { state.withLock { $0.total } }

    func enter() {
        state.withLock {
            $0.now += 1
            $0.most = max($0.most, $0.now)
            $0.total += 1
        }
    }

    func leave() { state.withLock { $0.now -= 1 } }
}

/// Records the order of the holders.
private final class Order: Sendable {
    private let state = Mutex<[String]>([])

    var names: [String] { state.withLock { $0 } }

    func append(_ name: String) { state.withLock { $0.append(name) } }
}
