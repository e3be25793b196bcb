internal import Synchronization

/// Hands work to an executor one piece at a time, in the order it was posted.
final class Mailbox: Sendable {
    private let waiting = Mutex<[@Sendable () -> Void]>([])
    private let executor: ListenerExecutor

    init(executor: ListenerExecutor) {
        self.executor = executor
    }

    /// Posts work. Each post is one visit of the executor, which takes whatever is first in line, so that the order
    /// holds even when two threads reach the executor in the other order.
    func post(_ work: @escaping @Sendable () -> Void) {
        waiting.withLock { $0.append(work) }
        executor.run { [self] in
            let next = waiting.withLock { $0.isEmpty ? nil : $0.removeFirst() }
            next?()
        }
    }
}
