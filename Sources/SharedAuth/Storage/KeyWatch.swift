internal import Synchronization

/// A watch on one key of a store that keeps a list of its watches.
final class KeyWatch: RecordWatch {
    let key: RecordKey
    private let handler: Mutex<(@Sendable (RecordEvent) -> Void)?>

    init(key: RecordKey, handler: @escaping @Sendable (RecordEvent) -> Void) {
        self.key = key
        self.handler = Mutex(handler)
    }

    func tell(_ event: RecordEvent) {
        let handler = handler.withLock { $0 }
        handler?(event)
    }

    func cancel() {
        handler.withLock { $0 = nil }
    }
}
