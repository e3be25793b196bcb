internal import Dispatch
internal import FoundationEssentials
internal import Glibc
internal import SecretService
internal import Synchronization

/// A lock that is a locked file, for stores whose processes share a directory.
final class FileLock: CrossProcessLock {
    private let directory: String
    private let threads = NamedTurns()

    init(directory: String) {
        self.directory = directory
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
        if flock(file, LOCK_EX | LOCK_NB) != 0 { try wait(for: file, within: deadline) }
        let hold = LockHold(turn: LockedFile(file, turn), isShared: true)
        return (hold, look())
    }

    /// Waits on another thread, as a file's lock knows no deadline; should the lock come too late, that thread lets go.
    private func wait(for file: Int32, within deadline: Deadline) throws(RecordStoreError) {
        let race = Race()
        // A queue of its own has a thread at once; a shared one is slow to add threads to those that wait.
        DispatchQueue(label: "SharedAuth.FileLock").async {
            flock(file, LOCK_EX)
            if race.finish(.locked) == .givenUp { close(file) } else { race.semaphore.signal() }
        }
        if race.semaphore.wait(timeout: deadline.dispatchTime) == .success { return }
        if race.finish(.givenUp) == .locked { return }
        throw RecordStoreError(
            .timedOut,
            "Another process did not end its change of the record in time; nothing was changed."
        )
    }
}

/// Settles whether the lock or the deadline came first.
private final class Race: Sendable {
    enum Outcome {
        case locked
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
