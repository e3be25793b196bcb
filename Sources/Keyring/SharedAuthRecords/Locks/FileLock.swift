package import DesktopSupport
internal import Glibc
internal import Synchronization

/// A lock implemented with `flock`, for stores whose processes share a directory.
package final class FileLock: CrossProcessLock {
    /// Locks a file. Returns 0 or the error number.
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

    /// Creates a lock in a folder. The folder's rule for symbolic links also applies to the lock files.
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
                // Cleanup programs delete files by age, and must not remove the file of a held lock.
                futimens(file, nil)
                return (LockHold(lock: LockedFile(file, threadLock), isShared: true), look())
            }
            // The file was removed, and other processes will lock a new one.
            unlock(file)
            if deadline.isPast { throw RecordStoreError(LockWait(holder(ofFile: name) ?? .unknown, since: start)) }
        }
    }

    /// Returns whether a locked file is still the one with its name.
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

    /// Waits for the lock among this process's threads, whose holder may be waiting for another process.
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

    /// Opens the lock file, and creates the file and its directory if they are missing.
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
                case ELOOP: "Remove the symbolic link at this path, or at a directory above it."
                case EPERM: "Name a directory that belongs to this user, and in which only this user may write."
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

    /// Locks a file, retrying after signals.
    private func lock(_ file: Int32, _ operation: Int32) -> Int32 {
        while true {
            let number = locking(file, operation)
            if number != EINTR { return number }
        }
    }

    /// Retries whenever a process closes the file, until the deadline.
    ///
    /// Never blocks in `flock`, which has no timeout: after its caller had given up, the thread would remain there and
    /// acquire a lock that no caller waits for. A holder closes the file after it has released the lock, and the kernel
    /// closes the files of a process that dies, so the notification arrives immediately. There is none while a forked
    /// child of the holder shares the open file, nor at a limit of the system; then the pause between two attempts is
    /// the longest delay.
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

    /// Closes a file that cannot be locked. Nothing may be changed without a lock.
    private func giveUp(_ file: Int32, _ name: String, _ number: Int32) -> RecordStoreError {
        close(file)
        let error = SystemError(number: number)
        return RecordStoreError(
            .failed,
            "The lock file \(folder.path(of: name)) cannot be locked: \(error).",
            remedy: "Put the directory on a file system with locks, such as a local disk; NFS needs its lock daemon.",
            underlying: error.saysNoLocks ? MissingLocks(error: error) : error
        )
    }
}

/// The error of a file that cannot be locked because its file system has no locks, or currently has none.
private struct MissingLocks: Error, CustomStringConvertible {
    let error: SystemError
    var description: String { error.description }
}

extension RecordStoreError {
    /// Indicates whether a file could not be locked because its file system has no locks, or currently has none.
    package var lacksFileLocks: Bool {
        underlying is MissingLocks || (underlying as? RecordStoreError)?.lacksFileLocks ?? false
    }
}

/// Waits until a process closes a file that it had opened for writing.
private struct Closings: ~Copyable {
    /// The inotify descriptor; negative if there is none because a system limit is reached.
    private let queue: Int32

    /// Watches an open file, regardless of the file that now has its name.
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

    /// Waits for the next close, at most 50 ms, or 5 ms without notifications.
    func wait(atMost time: Duration) {
        let pause: Duration = queue >= 0 ? .milliseconds(50) : .milliseconds(5)
        let (seconds, attoseconds) = min(time, pause).components
        let milliseconds = Int32(seconds * 1000 + attoseconds / 1_000_000_000_000_000) + 1
        var request = pollfd(fd: queue, events: Int16(POLLIN), revents: 0)
        _ = unsafe poll(&request, 1, milliseconds)
        _ = Notification.read(from: queue)
    }
}

/// Unlocks a file, and closes it. A child of this process may have it open too; closing it alone would leave it locked
/// until the child ends.
private func unlock(_ file: Int32) {
    flock(file, LOCK_UN)
    close(file)
}

/// A locked file, as a lock.
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
        if let file { unlock(file) }
        threadLock.release()
    }
}
