internal import Dispatch
internal import FoundationEssentials
internal import Glibc
internal import SecretService
internal import Synchronization

/// A lock that is a locked file, for stores whose processes share a directory.
final class FileLock: CrossProcessLock {
    /// Locks a file; the result is 0, or the number of the error.
    typealias Locking = @Sendable (_ file: Int32, _ operation: Int32) -> Int32

    private let directory: String
    private let locking: Locking
    private let threads = NamedTurns()

    init(
        directory: String,
        locking: @escaping Locking = { file, operation in flock(file, operation) == 0 ? 0 : errno }
    ) {
        self.directory = directory
        self.locking = locking
    }

    func acquire<Seen>(
        _ name: String,
        within deadline: Deadline,
        looking look: () -> Seen
    ) throws(RecordStoreError) -> (hold: LockHold, seen: Seen) {
        let turn = try threads.take(name, within: deadline)
        do {
            try FileManager.default.createDirectory(
                atPath: directory,
                withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o700]
            )
        } catch {
            throw RecordStoreError(.failed, "The lock directory \(directory) cannot be made.", underlying: error)
        }
        let file = unsafe open("\(directory)/\(name)", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard file >= 0 else {
            throw RecordStoreError(
                .failed,
                "The lock file \(directory)/\(name) cannot be opened. Check its permissions."
            )
        }
        switch lock(file, LOCK_EX | LOCK_NB) {
        case 0: break
        case EWOULDBLOCK: try wait(for: file, name, within: deadline)
        case let number: throw giveUp(file, name, number)
        }
        let hold = LockHold(turn: LockedFile(file, turn), isShared: true)
        return (hold, look())
    }

    /// Locks a file, however often a signal comes in between.
    private func lock(_ file: Int32, _ operation: Int32) -> Int32 {
        while true {
            let number = locking(file, operation)
            if number != EINTR { return number }
        }
    }

    /// Waits on another thread, as a file's lock knows no deadline; should the lock come too late, that thread lets go.
    private func wait(for file: Int32, _ name: String, within deadline: Deadline) throws(RecordStoreError) {
        let race = Race()
        // A queue of its own has a thread at once; a shared one is slow to add threads to those that wait.
        DispatchQueue(label: "SharedAuth.FileLock").async { [self] in
            let number = lock(file, LOCK_EX)
            if race.finish(.answered(number)) == .givenUp { close(file) } else { race.semaphore.signal() }
        }
        _ = race.semaphore.wait(timeout: deadline.dispatchTime)
        switch race.finish(.givenUp) {
        case .answered(0):
            return
        case .answered(let number):
            throw giveUp(file, name, number)
        case .givenUp:
            throw RecordStoreError(
                .timedOut,
                "Another process did not end its change of the record in time; nothing was changed."
            )
        }
    }

    /// Closes a file that cannot be locked: without a lock nothing may be changed.
    private func giveUp(_ file: Int32, _ name: String, _ number: Int32) -> RecordStoreError {
        close(file)
        let error = SystemError(number: number)
        return RecordStoreError(
            .failed,
            "The lock file \(directory)/\(name) cannot be locked: \(error).",
            remedy: "Keep the directory on a file system with locks, such as a local disk; NFS needs its lock daemon.",
            underlying: error
        )
    }
}

/// Settles whether the answer or the deadline came first.
private final class Race: Sendable {
    enum Outcome: Equatable {
        /// The lock was taken, or could not be: the number of the error.
        case answered(Int32)
        case givenUp
    }

    let semaphore = DispatchSemaphore(value: 0)
    private let outcome = Mutex<Outcome?>(nil)

    /// Reports an outcome, and learns which one counts.
    func finish(_ reported: Outcome) -> Outcome {
        outcome.withLock { outcome in
            let settled = outcome ?? reported
            outcome = settled
            return settled
        }
    }
}

/// A file that is locked, as a turn.
private final class LockedFile: Turn {
    private let file: Mutex<Int32?>
    private let turn: NamedTurn

    init(_ file: Int32, _ turn: NamedTurn) {
        self.file = Mutex(file)
        self.turn = turn
    }

    deinit { end() }

    func end() {
        let file = file.withLock { file in
            defer { file = nil }
            return file
        }
        // Closing the file frees its lock.
        if let file { close(file) }
        turn.end()
    }
}
