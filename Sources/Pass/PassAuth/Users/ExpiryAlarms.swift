internal import DesktopSupport
internal import Dispatch
internal import FoundationEssentials
internal import SharedAuth
internal import Synchronization

/// Notifies the watches of a user when the session's token expires, for which the store sends no signal.
final class ExpiryAlarms: Sendable {
    private struct State {
        /// The expiry of the last session read under a key.
        var expiries: [RecordKey: Date] = [:]
        var timers: [RecordKey: (due: Date, timer: Timer)] = [:]
        var watches: [RecordKey: KeyWatches] = [:]
    }

    private let now: @Sendable () -> Date
    private let queue = DispatchQueue(label: "PassAuth.ExpiryAlarms")
    private let state = Mutex(State())

    init(now: @escaping @Sendable () -> Date) { self.now = now }

    deinit {
        // A timer that is released goes on.
        for (_, timer) in state.withLock({ $0.timers }).values { timer.cancel() }
    }

    /// Stores the expiry of the session under a key; nil if there is no session.
    func set(_ expires: Date?, of key: RecordKey) {
        state.withLock { $0.expiries[key] = expires }
        setTimer(of: key)
    }

    /// Returns a watch that also reports the expiry, for as long as it is retained.
    func watch(
        _ key: RecordKey,
        _ underlying: [any RecordWatch],
        _ handler: @escaping @Sendable (RecordEvent) -> Void
    ) -> any RecordWatch {
        let watch = KeyWatch(key: key, on: underlying, handler: handler)
        state.withLock { $0.watches[key, default: KeyWatches()].add(watch) }
        setTimer(of: key)
        return watch
    }

    private func setTimer(of key: RecordKey) {
        state.withLock { state in
            let due = state.watches[key]?.living.isEmpty == false ? state.expiries[key] : nil
            if state.timers[key]?.due == due { return }
            state.timers[key]?.timer.cancel()
            state.timers[key] = due.map { due in
                let timer = Timer(at: due, by: now) { [weak self, queue] in
                    queue.async { [weak self] in self?.ring(due, of: key) }
                }
                return (due, timer)
            }
        }
    }

    private func ring(_ due: Date, of key: RecordKey) {
        let watches = state.withLock { state -> [KeyWatch] in
            guard state.timers[key]?.due == due, state.expiries[key] == due else { return [] }
            (state.timers[key], state.expiries[key]) = (nil, nil)
            return state.watches[key]?.living ?? []
        }
        for watch in watches { watch.tell(.changed) }
    }
}
