public import SecretService

extension SecretServiceRecordStore {
    /// Watches a key.
    public func watch(
        _ key: RecordKey,
        by deadline: Deadline,
        _ handler: @escaping @Sendable (RecordEvent) -> Void
    ) throws(RecordStoreError) -> any RecordWatch {
        try watch(key, isReadNext: false, by: deadline, handler)
    }

    /// Watches a key. If the key is read next, that read waits until the watch is established.
    func watch(
        _ key: RecordKey,
        isReadNext: Bool,
        by deadline: Deadline,
        _ handler: @escaping @Sendable (RecordEvent) -> Void
    ) throws(RecordStoreError) -> KeyWatch {
        do throws(SecretServiceError) {
            let (watch, begun) = try hub.watch(key, handler) { number throws(SecretServiceError) in
                let take: @Sendable (SecretServiceChange) -> Void = { [weak self] change in
                    self?.take(change, from: number)
                }
                return isReadNext
                    ? try service.watchFromNextCall(take, by: deadline) : try service.watch(take, by: deadline)
            }
            if let begun {
                cache.noteWatch(begun)
                // It may have ended in the meantime.
                if !hub.isInUse(begun) { cache.noteWatch(nil) }
            }
            return watch
        } catch {
            throw RecordStoreError(error)
        }
    }

    /// Handles a change reported by the Secret Service watch of this number.
    private func take(_ change: SecretServiceChange, from number: UInt64) {
        switch change {
        case .item(let path, let kind):
            if kind == .created { cache.noteMade(path) }
            hub.tell(.changed) { concerns($0, path, kind) }
        case .collection:
            cache.forgetAll()
            hub.tell(.changed)
        case .lockChanged(let collection, let isLocked):
            if isLocked ?? true {
                cache.noteLocking(service.collection(at: collection), inRun: service.answeringInstanceID)
            }
            hub.tell(.lockChanged)
        case .daemonVanished:
            hub.tell(.storeVanished)
        case .daemonAppeared:
            cache.forgetAll()
            hub.tell(.storeAppeared)
        case .busClosed:
            hub.end(number)
            cache.noteWatch(nil)
            cache.forgetAll()
            hub.tell(.closed)
        }
    }

    /// Returns whether an item's change may affect a key. A new item may be the record's even if its item is known; if
    /// it is unknown, any item may be.
    private func concerns(_ key: RecordKey, _ path: String?, _ kind: SecretServiceChange.Kind) -> Bool {
        guard let path, let item = cache[key] else { return true }
        return item.path == path || kind == .created
    }
}
