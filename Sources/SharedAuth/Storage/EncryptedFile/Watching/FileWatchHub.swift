internal import Synchronization

/// Turns one watch on a store's directory into watches on keys.
final class FileWatchHub: Sendable {
    private struct State {
        var source: DirectoryWatch?
        var watches = KeyWatches()
    }

    private let path: String
    private let state = Mutex(State())

    init(path: String) {
        self.path = path
    }

    /// Watches a key; the directory has to be there.
    func watch(
        _ key: RecordKey,
        _ handler: @escaping @Sendable (RecordEvent) -> Void
    ) throws(RecordStoreError) -> KeyWatch {
        let watch = KeyWatch(key: key, handler: handler)
        let isListening = state.withLock { state in
            state.watches.add(watch)
            return state.source != nil
        }
        if isListening { return watch }
        do throws(SystemError) {
            let source = try DirectoryWatch(path) { [weak self] events in
                for event in events { self?.pass(on: event) }
            }
            // Should two have begun at once, the second one's notifications end here.
            state.withLock { if $0.source == nil { $0.source = source } }
        } catch {
            throw RecordStoreError(error, "There is no way to watch the store", path)
        }
        return watch
    }

    private func pass(on event: DirectoryWatch.Event) {
        let watches = state.withLock { state in
            if event == .closed { state.source = nil }
            return state.watches.living
        }
        switch event {
        case .entry(StoreHeader.name), .everything:
            for watch in watches { watch.tell(.changed) }
        case .entry(let name):
            for watch in watches where watch.key.fileName == name { watch.tell(.changed) }
        case .vanished:
            for watch in watches { watch.tell(.providerVanished) }
        case .appeared:
            for watch in watches { watch.tell(.providerAppeared) }
        case .closed:
            for watch in watches { watch.tell(.closed) }
        }
    }
}
