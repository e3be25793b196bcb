internal import SecretService
internal import Synchronization

/// Turns one watch on the Secret Service into watches on keys.
final class WatchHub: Sendable {
    private struct State {
        var source: Watch?
        var watches = KeyWatches()
    }

    private let service: SecretService
    private let places: Places
    private let state = Mutex(State())

    init(service: SecretService, places: Places) {
        self.service = service
        self.places = places
    }

    func watch(
        _ key: RecordKey,
        within deadline: Deadline,
        _ handler: @escaping @Sendable (RecordEvent) -> Void
    ) throws(SecretServiceError) -> KeyWatch {
        let watch = KeyWatch(key: key, handler: handler)
        let isListening = state.withLock { state in
            state.watches.add(watch)
            return state.source != nil
        }
        if !isListening {
            let source = try service.watch({ [weak self] change in self?.pass(on: change) }, within: deadline)
            // Should two have begun at once, the second one's subscription ends here.
            state.withLock { if $0.source == nil { $0.source = source } }
        }
        return watch
    }

    private func pass(on change: SecretServiceChange) {
        let watches = state.withLock { state in
            if change == .busClosed { state.source = nil }
            return state.watches.living
        }
        switch change {
        case .item(let path, let kind):
            for watch in watches where concerns(watch.key, path, kind) { watch.tell(.changed) }
        case .collection:
            places.forgetAll()
            for watch in watches { watch.tell(.changed) }
        case .lockChanged:
            for watch in watches { watch.tell(.lockChanged) }
        case .providerVanished:
            for watch in watches { watch.tell(.providerVanished) }
        case .providerAppeared:
            places.forgetAll()
            for watch in watches { watch.tell(.providerAppeared) }
        case .busClosed:
            places.forgetAll()
            for watch in watches { watch.tell(.closed) }
        }
    }

    /// Whether an item's change can matter to a key. A new item can be a record's even where one is known, and without a
    /// known one any item can.
    private func concerns(_ key: RecordKey, _ path: String?, _ kind: SecretServiceChange.Kind) -> Bool {
        guard let path, let item = places[key] else { return true }
        return item.path == path || kind == .created
    }
}
