package import DesktopSupport
internal import Synchronization

/// How this process does things to one directory, so that no call waits longer than its time.
///
/// On a file system of this machine the calling thread does them. On any other a thread of this object does, one thing after the
/// other, and the caller leaves it behind when the time is over: at most one for files and one for locks, however many calls
/// follow. Which of the two it is, is found out once, in the time of the call, too.
package final class FileAccess: Sendable {
    /// What a call is about; a wait for a lock must hold up no other call.
    package enum Subject: Sendable {
        case files, locks
    }

    /// A call that is being carried out.
    package struct Call: Sendable {
        /// The time of what the call waits for by itself: it is over before its caller gives up.
        package let deadline: Deadline
        /// To be asked before a change takes effect: false if the caller has given up, and was told that nothing changes.
        package let mayChange: @Sendable () -> Bool
    }

    /// What has become of a call.
    package enum Outcome<Value> {
        case done(Value)
        /// It has not ended in time, and nothing has changed or will.
        case late
        /// It has not ended in time, and may change something yet.
        case unknown
    }

    private let fileSystem: @Sendable () -> FileSystemKind
    private let before: @Sendable (Subject) -> Void
    private let known = Mutex<FileSystemKind?>(nil)
    private let files = LeavableThread(name: "files")
    private let locks = LeavableThread(name: "file locks")

    /// - Parameters:
    ///   - fileSystem: finds out where the directory is.
    ///   - before: is called before each call, on its thread.
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

    /// The access to a folder that all of this process shares.
    package static func shared(to folder: Folder) -> FileAccess {
        all.withLock { all in
            let place = Place(path: folder.path, followsLinks: folder.followsLinks)
            if let access = all[place] { return access }
            let access = FileAccess(fileSystem: { FileSystemKind(of: folder) })
            all[place] = access
            return access
        }
    }

    /// Does something to the directory, and waits for it until the deadline.
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

    /// Does something without waiting for it, where it may never end.
    package func perform(_ body: @escaping @Sendable () -> Void) {
        if known.withLock({ $0 }) == .remote { files.perform(body) } else { body() }
    }

    private func thread(_ subject: Subject) -> LeavableThread { subject == .files ? files : locks }

    /// Where the directory is; nil if that is not found out in time.
    private func kind(by deadline: Deadline) -> FileSystemKind? {
        if let kind = known.withLock({ $0 }) { return kind }
        let found = files.perform(by: deadline) { [fileSystem] _ in fileSystem() }
        guard case .done(let kind) = found else { return nil }
        known.withLock { $0 = kind }
        return kind
    }
}

/// Does one thing after the other on a thread that callers may leave behind; it ends when there is nothing to do.
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

    /// Does something, and waits for it until the deadline.
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

    /// Does something, without waiting for it.
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
