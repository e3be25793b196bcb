/// Turns one watch on a store's directory into watches on keys.
final class FileWatchHub: Sendable {
    private let path: String
    private let calls: InotifyCalls
    private let hub = WatchHub<DirectoryWatch>()

    init(path: String, calls: InotifyCalls) {
        self.path = path
        self.calls = calls
    }

    /// Watches a key; the directory has to be there.
    func watch(
        _ key: RecordKey,
        _ handler: @escaping @Sendable (RecordEvent) -> Void
    ) throws(RecordStoreError) -> KeyWatch {
        do throws(SystemError) {
            return try hub.watch(key, handler) { number throws(SystemError) in
                try DirectoryWatch(path, calls) { [weak self] events in
                    for event in events { self?.pass(on: event, from: number) }
                }
            }.watch
        } catch {
            throw InotifyCalls.limitReached(error)
                ?? RecordStoreError(error, "There is no way to watch the store", path)
        }
    }

    private func pass(on event: DirectoryWatch.Event, from number: UInt64) {
        switch event {
        case .entry(StoreHeader.name), .everything:
            for watch in hub.watches { watch.tell(.changed) }
        case .entry(let name):
            for watch in hub.watches where watch.key.fileName == name { watch.tell(.changed) }
        case .vanished:
            for watch in hub.watches { watch.tell(.providerVanished) }
        case .appeared:
            for watch in hub.watches { watch.tell(.providerAppeared) }
        case .closed:
            hub.end(number)
            for watch in hub.watches { watch.tell(.closed) }
        }
    }
}
