package import DesktopSupport
internal import Glibc
internal import Synchronization

/// A lock that is a locked file, for stores whose processes share a directory.
package final class FileLock: CrossProcessLock {
    /// Locks a file; the result is 0, or the number of the error.
    package typealias Locking = @Sendable (_ file: Int32, _ operation: Int32) -> Int32

    private let folder: Folder
    private let locking: Locking
    private let threads = NamedLocks()

    package convenience init(
        directory: String,
        locking: @escaping Locking = { file, operation in flock(file, operation) == 0 ? 0 : errno }
    ) {
        self.init(in: Folder(directory), locking: locking)
    }

    /// A lock in a folder, whose rule for links holds for the lock's files, too.
    package init(
        in folder: Folder,
        locking: @escaping Locking = { file, operation in flock(file, operation) == 0 ? 0 : errno }
    ) {
        self.folder = folder
        self.locking = locking
    }

    package func acquire<Seen>(
        _ name: String,
        by deadline: Deadline,
        looking look: () -> Seen
    ) throws(RecordStoreError) -> (hold: LockHold, seen: Seen) {
        let start = ContinuousClock.now
        let threadLock = try threadLock(name, since: start, by: deadline)
        while true {
            let file = try open(name)
            switch lock(file, LOCK_EX | LOCK_NB) {
            case 0: break
            case EWOULDBLOCK: try wait(for: file, name, since: start, by: deadline)
            case let number: throw giveUp(file, name, number)
            }
            if isInPlace(file, name) {
                // Who clears directories up goes by age, and must not take a lock away that is held.
                futimens(file, nil)
                return (LockHold(lock: LockedFile(file, threadLock), isShared: true), look())
            }
            // It was removed, and who comes now locks another file.
            close(file)
            if deadline.isPast { throw RecordStoreError(LockWait(holder(ofFile: name) ?? .unknown, since: start)) }
        }
    }

    /// Whether a locked file is still the one under its name.
    private func isInPlace(_ file: Int32, _ name: String) -> Bool {
        var locked = stat()
        guard unsafe fstat(file, &locked) == 0 else { return false }
        let isSame = try? folder.reach(name) { directory, name in
            var present = stat()
            let flags = folder.followsLinks ? 0 : AT_SYMLINK_NOFOLLOW
            return unsafe fstatat(directory, name, &present, flags) == 0 && present.st_dev == locked.st_dev
                && present.st_ino == locked.st_ino
        }
        return isSame ?? false
    }

    package func holder(of name: String, by deadline: Deadline) throws(RecordStoreError) -> LockWait.Holder? {
        holder(ofFile: name)
    }

    private func holder(ofFile name: String) -> LockWait.Holder? { LockWait.Holder(ofFile: folder.path(of: name)) }

    /// The lock among this process's threads; who is first there may be waiting for another process.
    private func threadLock(
        _ name: String,
        since start: ContinuousClock.Instant,
        by deadline: Deadline
    ) throws(RecordStoreError) -> NamedLock {
        do {
            return try threads.acquire(name, by: deadline)
        } catch {
            throw RecordStoreError(LockWait(holder(ofFile: name) ?? .thisProcess, since: start))
        }
    }

    /// Opens the lock's file, and makes it and the directory if they are not there.
    private func open(_ name: String) throws(RecordStoreError) -> Int32 {
        let flags = O_RDWR | O_CREAT | O_CLOEXEC | O_NOCTTY | (folder.followsLinks ? 0 : O_NOFOLLOW)
        func open() throws(SystemError) -> Int32 {
            try folder.reach(name) { (directory, name) throws(SystemError) in
                let file = unsafe openat(directory, name, flags, 0o600)
                guard file >= 0 else { throw .last }
                return file
            }
        }
        do throws(SystemError) {
            do throws(SystemError) {
                return try open()
            } catch {
                guard error.number == ENOENT else { throw error }
                try folder.make()
                return try open()
            }
        } catch {
            let remedy: String? =
                switch error.number {
                case ELOOP: "Remove the symbolic link that is in its place, or in that of a directory above it."
                case _ where error.saysFull: nil
                default: "Check the permissions of the file and its directory."
                }
            throw RecordStoreError(
                error.saysFull ? .full : .failed,
                "The lock file \(folder.path(of: name)) cannot be opened: \(error).",
                remedy: remedy,
                underlying: error
            )
        }
    }

    /// Locks a file, however often a signal comes in between.
    private func lock(_ file: Int32, _ operation: Int32) -> Int32 {
        while true {
            let number = locking(file, operation)
            if number != EINTR { return number }
        }
    }

    /// Tries again whenever a process has closed the file, until the deadline.
    ///
    /// It never waits in `flock`, which knows no deadline: a thread that did would stay there after its caller has given up,
    /// and take a lock that no caller waits for any more. A lock is released by closing the file, and the kernel closes the
    /// files of a process that dies, so the notification comes at once; where none comes, the pause between two tries is the
    /// longest delay.
    private func wait(
        for file: Int32,
        _ name: String,
        since start: ContinuousClock.Instant,
        by deadline: Deadline
    ) throws(RecordStoreError) {
        let closings = Closings(of: file)
        while true {
            switch lock(file, LOCK_EX | LOCK_NB) {
            case 0: return
            case EWOULDBLOCK: break
            case let number: throw giveUp(file, name, number)
            }
            if deadline.isPast {
                close(file)
                throw RecordStoreError(LockWait(holder(ofFile: name) ?? .unknown, since: start))
            }
            closings.wait(atMost: deadline.remaining)
        }
    }

    /// Closes a file that cannot be locked: without a lock nothing may be changed.
    private func giveUp(_ file: Int32, _ name: String, _ number: Int32) -> RecordStoreError {
        close(file)
        let error = SystemError(number: number)
        return RecordStoreError(
            .failed,
            "The lock file \(folder.path(of: name)) cannot be locked: \(error).",
            remedy: "Keep the directory on a file system with locks, such as a local disk; NFS needs its lock daemon.",
            underlying: error.saysNoLocks ? MissingLocks(error: error) : error
        )
    }
}

/// A file could not be locked because its file system has no locks, or none now.
private struct MissingLocks: Error, CustomStringConvertible {
    let error: SystemError
    var description: String { error.description }
}

extension RecordStoreError {
    /// Whether a file could not be locked because its file system has no locks, or none now.
    package var lacksFileLocks: Bool {
        underlying is MissingLocks || (underlying as? RecordStoreError)?.lacksFileLocks ?? false
    }
}

/// Waits until a process that had opened a file for writing closes it.
private struct Closings: ~Copyable {
    /// The queue of notifications; negative where there is none, as a limit of the system is reached.
    private let queue: Int32

    /// Listens for an open file, whatever is under its name by now.
    init(of file: Int32) {
        let path = "/proc/self/fd/\(file)"
        let queue = inotify_init1(Int32(IN_NONBLOCK) | Int32(IN_CLOEXEC))
        if queue >= 0, unsafe inotify_add_watch(queue, path, UInt32(IN_CLOSE_WRITE)) < 0 {
            close(queue)
            self.queue = -1
        } else {
            self.queue = queue
        }
    }

    deinit {
        if queue >= 0 { close(queue) }
    }

    /// Waits for the next closing, at most 50 ms; where there are no notifications, 5 ms.
    func wait(atMost time: Duration) {
        let pause: Duration = queue >= 0 ? .milliseconds(50) : .milliseconds(5)
        let (seconds, attoseconds) = min(time, pause).components
        let milliseconds = Int32(seconds * 1000 + attoseconds / 1_000_000_000_000_000) + 1
        var request = pollfd(fd: queue, events: Int16(POLLIN), revents: 0)
        _ = unsafe poll(&request, 1, milliseconds)
        _ = Notification.read(from: queue)
    }
}

/// A file that is locked, as a lock.
private final class LockedFile: RecordLock {
    private let file: Mutex<Int32?>
    private let threadLock: NamedLock

    init(_ file: Int32, _ threadLock: NamedLock) {
        self.file = Mutex(file)
        self.threadLock = threadLock
    }

    deinit { release() }

    func release() {
        let file = file.withLock { file in
            defer { file = nil }
            return file
        }
        // Closing the file frees its lock.
        if let file { close(file) }
        threadLock.release()
    }
}
