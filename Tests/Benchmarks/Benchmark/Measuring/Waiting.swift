import Dispatch
import Synchronization

/// Waits on one thread for what another one says.
final class Waiting<Value: Sendable>: Sendable {
    private let value = Mutex<Value?>(nil)
    private let semaphore = DispatchSemaphore(value: 0)

    func end(with value: Value) {
        self.value.withLock { $0 = value }
        semaphore.signal()
    }

    func wait() -> Value? {
        semaphore.wait()
        return value.withLock { $0 }
    }
}
