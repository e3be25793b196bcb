internal import SecretService

/// Turns one watch on the Secret Service into watches on keys.
final class ServiceWatchHub: Sendable {
    private let service: SecretService
    private let cache: ItemCache
    private let hub = WatchHub<Watch>()

    init(service: SecretService, cache: ItemCache) {
        self.service = service
        self.cache = cache
    }

    func watch(
        _ key: RecordKey,
        isReadNext: Bool = false,
        by deadline: Deadline,
        _ handler: @escaping @Sendable (RecordEvent) -> Void
    ) throws(SecretServiceError) -> KeyWatch {
        let (watch, begun) = try hub.watch(key, handler) { number throws(SecretServiceError) in
            let pass: @Sendable (SecretServiceChange) -> Void = { [weak self] change in
                self?.pass(on: change, from: number)
            }
            return isReadNext
                ? try service.watchFromNextCall(pass, by: deadline) : try service.watch(pass, by: deadline)
        }
        if let begun {
            cache.noteWatch(begun)
            // It may have ended since.
            if !hub.isInUse(begun) { cache.noteWatch(nil) }
        }
        return watch
    }

    private func pass(on change: SecretServiceChange, from number: UInt64) {
        switch change {
        case .item(let path, let kind):
            if kind == .created { cache.noteMade(path) }
            for watch in hub.watches where concerns(watch.key, path, kind) { watch.tell(.changed) }
        case .collection:
            cache.forgetAll()
            for watch in hub.watches { watch.tell(.changed) }
        case .lockChanged:
            for watch in hub.watches { watch.tell(.lockChanged) }
        case .providerVanished:
            for watch in hub.watches { watch.tell(.providerVanished) }
        case .providerAppeared:
            cache.forgetAll()
            for watch in hub.watches { watch.tell(.providerAppeared) }
        case .busClosed:
            hub.end(number)
            cache.noteWatch(nil)
            cache.forgetAll()
            for watch in hub.watches { watch.tell(.closed) }
        }
    }

    /// Whether an item's change can matter to a key. A new item can be a record's even where one is known, and without a
    /// known one any item can.
    private func concerns(_ key: RecordKey, _ path: String?, _ kind: SecretServiceChange.Kind) -> Bool {
        guard let path, let item = cache[key] else { return true }
        return item.path == path || kind == .created
    }
}
