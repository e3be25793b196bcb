internal import Dispatch
internal import SecretService
internal import Synchronization

/// Listens to the store for changes of the slot in use, and has them looked at, one look for a burst.
final class PeerFeed: Sendable {
    struct State {
        var slot: Slot?
        var watch: (any RecordWatch)?
        /// The watch on the slot before, which goes on until the present one is there: it too tells of a new provider.
        var formerWatch: (any RecordWatch)?
        var look: (@Sendable () -> Bool)?
        var isLookPending = false
        var isProviderNew = true
        var provider = Provider()
        var failures = 0

        /// Whether news of another provider would be heard.
        var hearsProviders: Bool { watch != nil || formerWatch != nil }

        mutating func forgetProvider() {
            provider = Provider(generation: provider.generation + 1)
        }
    }

    let slots: UserSlots
    private let deadline: Duration
    let state = Mutex(State())

    init(slots: UserSlots, deadline: Duration) {
        self.slots = slots
        self.deadline = deadline
    }

    /// Watches a slot from now on. `tell` is called on `queue`, whenever the slot may have changed, and now unless an early
    /// watch has seen to it; it answers whether it should be called again although nothing changes.
    func follow(
        _ slot: Slot,
        since early: EarlyWatch? = nil,
        tell look: @escaping @Sendable () -> Bool,
        on queue: DispatchQueue
    ) {
        let (isWatching, former) = state.withLock { state -> (Bool, (any RecordWatch)?) in
            state.look = look
            if state.slot == slot, state.watch != nil { return (true, nil) }
            state.slot = slot
            // Of another generation it may be over: the store's connection, or what was read, is then old.
            if let early, early.slot == slot, early.generation == state.provider.generation, let former = state.watch {
                state.watch = early.watch
                return (true, former)
            }
            state.formerWatch = state.watch ?? state.formerWatch
            state.watch = nil
            return (false, nil)
        }
        former?.cancel()
        if isWatching { return }
        queue.async { [weak self] in self?.watch(slot, on: queue) }
    }

    /// Watches nothing any more.
    func stop() {
        state.withLock { $0 = State() }
    }

    /// Whether the watch is over, because the store's connection is.
    var isDeaf: Bool { state.withLock { $0.slot != nil && $0.watch == nil } }

    private func watch(_ slot: Slot, on queue: DispatchQueue) {
        guard let key = try? slots.key(slot), state.withLock({ $0.slot == slot && $0.watch == nil }) else { return }
        let watch: any RecordWatch
        do {
            watch = try slots.store.watch(key, within: .after(deadline)) { [weak self] event in
                self?.handle(event, slot, on: queue)
            }
        } catch {
            if error.code == .timedOut { retry(on: queue) { [weak self] in self?.watch(slot, on: queue) } }
            return
        }
        let former = state.withLock { state -> (any RecordWatch)? in
            guard state.slot == slot else { return nil }
            state.watch = watch
            defer { state.formerWatch = nil }
            return state.formerWatch
        }
        former?.cancel()
        nudge(on: queue)
    }

    func handle(_ event: RecordEvent, _ slot: Slot, on queue: DispatchQueue) {
        switch event {
        case .closed:
            state.withLock { state in
                state.forgetProvider()
                state.formerWatch = nil
                if state.slot == slot { state.watch = nil }
            }
        case .providerVanished:
            // The last known state stays.
            state.withLock { $0.forgetProvider() }
        case .providerAppeared:
            state.withLock { state in
                state.forgetProvider()
                state.isProviderNew = true
            }
            nudge(on: queue)
        case .changed, .lockChanged:
            nudge(on: queue)
        }
    }

    private func nudge(on queue: DispatchQueue) {
        let isNew = state.withLock { state in
            defer { state.isLookPending = true }
            return !state.isLookPending
        }
        if isNew { queue.async { [weak self] in self?.lookNow(on: queue) } }
    }

    private func lookNow(on queue: DispatchQueue) {
        let look = state.withLock { state in
            state.isLookPending = false
            return state.look
        }
        guard let look else { return }
        if look() {
            retry(on: queue) { [weak self] in self?.nudge(on: queue) }
        } else {
            state.withLock { $0.failures = 0 }
        }
    }

    /// Tries again after a failure that no signal will end: after 1, 2, 4 … 60 seconds.
    private func retry(on queue: DispatchQueue, _ work: @escaping @Sendable () -> Void) {
        let failures = state.withLock { state in
            state.failures += 1
            return state.failures
        }
        let seconds = min(60, 1 << min(failures - 1, 6))
        queue.asyncAfter(deadline: .now() + .seconds(seconds), execute: work)
    }
}
