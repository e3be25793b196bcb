internal import DesktopSupport
internal import SharedAuthRecords
internal import Synchronization

/// The watches of one store, and the listener that serves them while there are any.
final class Listeners: Sendable {
    private struct State {
        var watches = KeyWatches()
        var shares = 0
        var end: Cancellation?
    }

    private let state = Mutex(State())

    /// The watches that still exist.
    var watches: [KeyWatch] { state.withLock { $0.watches.living } }

    /// The watched keys.
    var keys: Set<RecordKey> { Set(watches.map(\.key)) }

    func add(_ watch: KeyWatch) { state.withLock { $0.watches.add(watch) } }

    /// Returns a share of the listener. `begin` begins to listen if this is the first share.
    func share(_ begin: (Cancellation) -> Void) -> ListenerShare {
        let end: Cancellation? = state.withLock { state in
            state.shares += 1
            guard state.end == nil else { return nil }
            let end = Cancellation()
            state.end = end
            return end
        }
        if let end { begin(end) }
        return ListenerShare(self)
    }

    fileprivate func leave() {
        let end: Cancellation? = state.withLock { state in
            state.shares -= 1
            guard state.shares == 0 else { return nil }
            defer { state.end = nil }
            return state.end
        }
        end?.cancel()
    }

    func stop() { state.withLock { $0.end }?.cancel() }
}

/// A share of a store's listener, which ends with its last share.
final class ListenerShare: RecordWatch {
    private let listeners: Mutex<Listeners?>

    fileprivate init(_ listeners: Listeners) { self.listeners = Mutex(listeners) }

    deinit { cancel() }

    func cancel() {
        let listeners = listeners.withLock { listeners in
            defer { listeners = nil }
            return listeners
        }
        listeners?.leave()
    }
}
