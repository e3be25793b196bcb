internal import Dispatch
internal import SecretService
internal import Synchronization

extension PeerFeed {
    /// A watch that was begun before its slot was read, and is the feed's once the slot is in use.
    struct EarlyWatch {
        let slot: Slot
        let watch: any RecordWatch
        let generation: UInt64
    }

    /// Begins to watch a slot that is about to be read, so that nobody need look again for what changed since; nil where
    /// that would take more than this slot's name, because nothing is watched yet.
    func watchEarly(_ slot: Slot, within deadline: Deadline, on queue: DispatchQueue) -> EarlyWatch? {
        let generation = state.withLock { $0.slot != slot && $0.watch != nil ? $0.provider.generation : nil }
        guard let generation, let key = try? slots.key(slot),
            let watch = try? slots.store.watch(
                key,
                within: deadline,
                { [weak self] event in self?.handle(event, slot, on: queue) }
            )
        else { return nil }
        return EarlyWatch(slot: slot, watch: watch, generation: generation)
    }
}
