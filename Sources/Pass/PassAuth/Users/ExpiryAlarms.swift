internal import Dispatch
internal import FoundationEssentials
internal import SharedAuth
internal import Synchronization

/// Notifies the watches of a user when the session's token expires, for which the store sends no signal.
final class ExpiryAlarms: Sendable {
    private struct State {
        /// The expiry of the last session read under a key.
        var expiries: [RecordKey: Date] = [:]
        /// The time at which a key's timer is due.
        var timers: [RecordKey: Date] = [:]
        var watches: [RecordKey: KeyWatches] = [:]
    }

    private let now: @Sendable () -> Date
    private let queue = DispatchQueue(label: "PassAuth.ExpiryAlarms")
    private let state = Mutex(State())

    init(now: @escaping @Sendable () -> Date) { self.now = now }

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
        let due = state.withLock { state -> Date? in
            guard let due = state.expiries[key], state.timers[key] != due,
                state.watches[key]?.living.isEmpty == false
            else { return nil }
            state.timers[key] = due
            return due
        }
        guard let due else { return }
        // A timer that is early is set again; a year is safe for any clock.
        let seconds = min(max(0, due.timeIntervalSince(now())), 31_536_000)
        queue.asyncAfter(wallDeadline: .now() + seconds) { [weak self] in self?.ring(due, of: key) }
    }

    private func ring(_ due: Date, of key: RecordKey) {
        let isOver = due <= now()
        let watches = state.withLock { state -> [KeyWatch] in
            if state.timers[key] == due { state.timers[key] = nil }
            guard isOver, state.expiries[key] == due else { return [] }
            state.expiries[key] = nil
            return state.watches[key]?.living ?? []
        }
        for watch in watches { watch.tell(.changed) }
        setTimer(of: key)
    }
}
