import Dispatch
import FoundationEssentials
import Glibc
import SecretService
import Synchronization
import TestSupport
import Testing

@testable import SharedAuth
@testable import SharedAuthRecords

/// Waiters for a locked file: after their deadline, and when the lock is freed.
struct FileLockWaitingTests {
    private let directory = TestDirectory.newPath()

    @Test("A waiter that timed out no longer waits and takes no lock later")
    func leavesNothing() throws {
        let held = try FileLock(directory: directory).acquire("x", by: .patient)
        let operations = Mutex<[Int32]>([])
        let files = FileLock(directory: directory) { file, operation in
            operations.withLock { $0.append(operation) }
            return flock(file, operation) == 0 ? 0 : errno
        }
        for _ in 1...3 {
            #expect(failure { try files.acquire("x", by: .after(.milliseconds(30))) }?.code == .timedOut)
        }
        // No call may wait in the kernel, where it has no limit.
        #expect(operations.withLock { $0.allSatisfy { $0 & LOCK_NB != 0 } })
        let count = operations.withLock(\.count)
        held.lock.release()
        let next = try FileLock(directory: directory).acquire("x", by: .after(.zero))
        #expect(operations.withLock(\.count) == count)
        next.lock.release()
    }

    @Test(
        "A waiter gets the lock as soon as it is free, even without kernel notification",
        arguments: [
            Duration.zero, .milliseconds(60),
        ]
    )
    func promptly(after pause: Duration) throws {
        let held = try FileLock(directory: directory).acquire("x", by: .patient)
        let tries = DispatchSemaphore(value: 0)
        let files = FileLock(directory: directory) { file, operation in
            defer { tries.signal() }
            return flock(file, operation) == 0 ? 0 : errno
        }
        let done = DispatchSemaphore(value: 0)
        let waiting = directory
        DispatchQueue(label: "waiter").async {
            withExtendedLifetime(waiting) {
                if let hold = try? files.acquire("x", by: .patient) {
                    hold.lock.release()
                    done.signal()
                }
            }
        }
        // The waiter has tried once, and once more after it subscribed to notifications.
        for _ in 1...2 { #expect(tries.wait(timeout: .now() + 120) == .success) }
        held.lock.release()
        #expect(done.wait(timeout: .now() + 120) == .success)
    }

    @Test("A lock that is freed without closing the file is noticed too")
    func unlocked() throws {
        try FileLock(directory: directory).acquire("x", by: .patient).lock.release()
        let file = unsafe open("\(directory)/x", O_RDWR | O_CLOEXEC)
        defer { close(file) }
        #expect(flock(file, LOCK_EX) == 0)
        let tries = Mutex(0)
        let files = FileLock(directory: directory) { theirs, operation in
            let number = tries.withLock { tries in
                tries += 1
                return tries
            }
            if number == 3 { _ = flock(file, LOCK_UN) }
            return flock(theirs, operation) == 0 ? 0 : errno
        }
        try files.acquire("x", by: .patient).lock.release()
        #expect(tries.withLock { $0 } >= 3)
    }
}
