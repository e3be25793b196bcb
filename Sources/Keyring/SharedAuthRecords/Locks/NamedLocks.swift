internal import DesktopSupport
internal import Synchronization

/// Named locks among the threads of one process, granted in the order of the requests.
package final class NamedLocks: Sendable {
    private struct Queue {
        var waiting: [Waiter] = []
    }

    private final class Waiter: Sendable {
        let isGranted = Monitor(false)
    }

    private let queues = Mutex<[String: Queue]>([:])

    package init() {}

    /// Waits for the lock called `name`.
    ///
    /// - Throws: `timedOut` if the deadline passes or is cancelled first.
    package func acquire(_ name: String, by deadline: Deadline) throws(RecordStoreError) -> NamedLock {
        let (waiter, start) = (Waiter(), ContinuousClock.now)
        let isFree = queues.withLock { queues in
            if queues[name] == nil {
                queues[name] = Queue()
                return true
            }
            queues[name]?.waiting.append(waiter)
            return false
        }
        if isFree { return NamedLock(name: name, locks: self) }
        let isGranted: Void? = waiter.isGranted.wait(until: deadline) { $0 ? () : nil }
        if isGranted != nil { return NamedLock(name: name, locks: self) }
        let hasLeft = queues.withLock { queues in
            guard let place = queues[name]?.waiting.firstIndex(where: { $0 === waiter }) else { return false }
            queues[name]?.waiting.remove(at: place)
            return true
        }
        // The lock was passed to this call at the very moment of the deadline.
        if !hasLeft { pass(name) }
        throw RecordStoreError(LockWait(.thisProcess, since: start))
    }

    fileprivate func pass(_ name: String) {
        let next = queues.withLock { queues -> Waiter? in
            guard let queue = queues[name], !queue.waiting.isEmpty else {
                queues[name] = nil
                return nil
            }
            return queues[name]?.waiting.removeFirst()
        }
        next?.isGranted.update { $0 = true }
    }
}

/// A lock among the threads of one process.
package final class NamedLock: RecordLock {
    private let name: String
    private let locks: Mutex<NamedLocks?>

    fileprivate init(name: String, locks: NamedLocks) {
        self.name = name
        self.locks = Mutex(locks)
    }

    deinit { release() }

    package func release() {
        let locks = locks.withLock { locks in
            defer { locks = nil }
            return locks
        }
        locks?.pass(name)
    }
}
