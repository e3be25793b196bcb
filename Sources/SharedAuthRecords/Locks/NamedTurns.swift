internal import Dispatch
package import SecretService
internal import Synchronization

/// Turns among the threads of one process, by name, first come first served.
package final class NamedTurns: Sendable {
    private struct Queue {
        var waiting: [Waiter] = []
    }

    private final class Waiter: Sendable {
        let semaphore = DispatchSemaphore(value: 0)
    }

    private let queues = Mutex<[String: Queue]>([:])

    package init() {}

    /// Waits for the turn `name`.
    ///
    /// - Throws: `timedOut` when the deadline passes first.
    package func take(_ name: String, within deadline: Deadline) throws(RecordStoreError) -> NamedTurn {
        let waiter = Waiter()
        let isFree = queues.withLock { queues in
            if queues[name] == nil {
                queues[name] = Queue()
                return true
            }
            queues[name]?.waiting.append(waiter)
            return false
        }
        if isFree { return NamedTurn(name: name, turns: self) }
        if waiter.semaphore.wait(timeout: deadline.dispatchTime) == .success {
            return NamedTurn(name: name, turns: self)
        }
        let hasLeft = queues.withLock { queues in
            guard let place = queues[name]?.waiting.firstIndex(where: { $0 === waiter }) else { return false }
            queues[name]?.waiting.remove(at: place)
            return true
        }
        // The turn was handed over in the very moment the deadline passed.
        if !hasLeft { pass(name) }
        throw RecordStoreError(.timedOut, "Another operation did not end in time (\(name)).")
    }

    fileprivate func pass(_ name: String) {
        let next = queues.withLock { queues -> Waiter? in
            guard let queue = queues[name], !queue.waiting.isEmpty else {
                queues[name] = nil
                return nil
            }
            return queues[name]?.waiting.removeFirst()
        }
        next?.semaphore.signal()
    }
}

/// A turn among the threads of one process.
package final class NamedTurn: Turn {
    private let name: String
    private let turns: Mutex<NamedTurns?>

    fileprivate init(name: String, turns: NamedTurns) {
        self.name = name
        self.turns = Mutex(turns)
    }

    deinit { end() }

    package func end() {
        let turns = turns.withLock { turns in
            defer { turns = nil }
            return turns
        }
        turns?.pass(name)
    }
}
