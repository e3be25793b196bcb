package import DesktopSupport
internal import Synchronization

/// Runs this process's operations on one directory, so that no call exceeds its deadline.
///
/// On a local file system, operations run on the calling thread. On any other file system, a thread of this object runs
/// them one after the other, and the caller abandons it at the deadline: at most one thread for files and one for
/// locks, however many calls follow. The kind of file system is determined once, also within the deadline of the call.
package final class FileAccess: Sendable {
    /// The subject of a call. A wait for a lock must not block other calls.
    package enum Subject: Sendable {
        case files, locks
    }

    /// A call in progress.
    package struct Call: Sendable {
        /// The deadline for waits within the call; it is earlier than the caller's.
        package let deadline: Deadline
        /// Called before a change takes effect. Returns false if the caller has given up and has reported that nothing
        /// changes.
        package let mayChange: @Sendable () -> Bool
    }

    /// The outcome of a call.
    package enum Outcome<Value> {
        case done(Value)
        /// The call did not finish in time. Nothing has changed or will change.
        case late
        /// The call did not finish in time, and may still change something.
        case unknown
    }

    private let fileSystem: @Sendable () -> FileSystemKind
    private let before: @Sendable (Subject) -> Void
    private let known = Mutex<FileSystemKind?>(nil)
    private let files = LeavableThread(name: "files")
    private let locks = LeavableThread(name: "file locks")

    /// - Parameters:
    ///   - fileSystem: Determines the kind of the directory's file system.
    ///   - before: Called before each operation, on its thread.
    package init(
        fileSystem: @escaping @Sendable () -> FileSystemKind,
        before: @escaping @Sendable (Subject) -> Void = { _ in }
    ) {
        self.fileSystem = fileSystem
        self.before = before
    }

    private struct Place: Hashable {
        let path: String
        let followsLinks: Bool
    }

    private static let all = Mutex<[Place: FileAccess]>([:])

    /// Returns the access to a folder, shared by all callers in this process.
    package static func shared(to folder: Folder) -> FileAccess {
        all.withLock { all in
            let place = Place(path: folder.path, followsLinks: folder.followsLinks)
            if let access = all[place] { return access }
            let access = FileAccess(fileSystem: { FileSystemKind(of: folder) })
            all[place] = access
            return access
        }
    }

    /// Runs an operation on the directory, and waits for it until the deadline.
    package func perform<Value: Sendable>(
        on subject: Subject = .files,
        by deadline: Deadline,
        _ body: @escaping @Sendable (Call) -> Value
    ) -> Outcome<Value> {
        guard let kind = kind(by: deadline) else { return .late }
        if kind == .local {
            before(subject)
            return .done(body(Call(deadline: deadline, mayChange: { true })))
        }
        let inner = deadline.atMost(deadline.remaining * 0.9)
        return thread(subject).perform(by: deadline) { [before] mayChange in
            before(subject)
            return body(Call(deadline: inner, mayChange: mayChange))
        }
    }

    /// Runs an operation. Does not wait for it if the file system is remote, where it might never finish.
    package func perform(_ body: @escaping @Sendable () -> Void) {
        if known.withLock({ $0 }) == .remote { files.perform(body) } else { body() }
    }

    private func thread(_ subject: Subject) -> LeavableThread { subject == .files ? files : locks }

    /// Returns the kind of the directory's file system; nil if this is not known in time.
    private func kind(by deadline: Deadline) -> FileSystemKind? {
        if let kind = known.withLock({ $0 }) { return kind }
        let found = files.perform(by: deadline) { [fileSystem] _ in fileSystem() }
        guard case .done(let kind) = found else { return nil }
        known.withLock { $0 = kind }
        return kind
    }
}

/// Runs work serially on a thread that callers can abandon. The thread ends when no work is left.
private final class LeavableThread: Sendable {
    private struct Queue {
        var waiting: [(id: UInt64, work: @Sendable () -> Void)] = []
        var lastID: UInt64 = 0
        var isRunning = false
    }

    private enum Phase<Value> {
        case begun, changing, left
        case done(Value)
    }

    private let name: String
    private let queue = Mutex(Queue())

    init(name: String) { self.name = name }

    /// Runs work, and waits for it until the deadline.
    func perform<Value: Sendable>(
        by deadline: Deadline,
        _ body: @escaping @Sendable (_ mayChange: @escaping @Sendable () -> Bool) -> Value
    ) -> FileAccess.Outcome<Value> {
        let phase = Monitor(Phase<Value>.begun)
        let id = perform {
            if case .left = phase.update({ $0 }) { return }
            let value = body {
                phase.update { phase in
                    if case .left = phase { return false }
                    phase = .changing
                    return true
                }
            }
            phase.update { phase in
                if case .left = phase { return }
                phase = .done(value)
            }
        }
        let value = phase.wait(until: deadline) { phase in
            if case .done(let value) = phase { value } else { nil }
        }
        if let value { return .done(value) }
        let outcome = phase.update { phase -> FileAccess.Outcome<Value> in
            switch phase {
            case .done(let value): return .done(value)
            case .changing: return .unknown
            case .begun, .left:
                phase = .left
                return .late
            }
        }
        if case .late = outcome { queue.withLock { $0.waiting.removeAll { $0.id == id } } }
        return outcome
    }

    /// Runs work without waiting for it.
    @discardableResult
    func perform(_ work: @escaping @Sendable () -> Void) -> UInt64 {
        let (id, starts) = queue.withLock { queue in
            queue.lastID += 1
            queue.waiting.append((queue.lastID, work))
            defer { queue.isRunning = true }
            return (queue.lastID, !queue.isRunning)
        }
        if starts { startThread(named: name) { [self] in while let work = next() { work() } } }
        return id
    }

    private func next() -> (@Sendable () -> Void)? {
        queue.withLock { queue in
            queue.isRunning = !queue.waiting.isEmpty
            return queue.waiting.isEmpty ? nil : queue.waiting.removeFirst().work
        }
    }
}
