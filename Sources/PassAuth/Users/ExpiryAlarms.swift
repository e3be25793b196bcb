internal import Dispatch
internal import FoundationEssentials
internal import SharedAuth
internal import Synchronization

/// Has those who watch a user read again when the session's token expires, for which the store sends no signal.
final class ExpiryAlarms: Sendable {
    private struct State {
        /// When the session that was last seen under a key expires.
        var expiries: [RecordKey: Date] = [:]
        /// When a timer is due for a key.
        var timers: [RecordKey: Date] = [:]
        var watches: [RecordKey: [WeakWatch]] = [:]
    }

    private struct WeakWatch {
        weak var watch: UserWatch?
    }

    private let now: @Sendable () -> Date
    private let queue = DispatchQueue(label: "PassAuth.ExpiryAlarms")
    private let state = Mutex(State())

    init(now: @escaping @Sendable () -> Date) { self.now = now }

    /// Remembers when the session under a key expires, nil being no session.
    func set(_ expires: Date?, of key: RecordKey) {
        state.withLock { $0.expiries[key] = expires }
        setTimer(of: key)
    }

    /// A watch that also reports the expiry, for as long as it is kept.
    func watch(
        _ key: RecordKey,
        _ underlying: [any RecordWatch],
        _ handler: @escaping @Sendable (RecordEvent) -> Void
    ) -> any RecordWatch {
        let watch = UserWatch(underlying, handler)
        state.withLock { state in
            state.watches[key, default: []].removeAll { $0.watch == nil }
            state.watches[key, default: []].append(WeakWatch(watch: watch))
        }
        setTimer(of: key)
        return watch
    }

    private func setTimer(of key: RecordKey) {
        let due = state.withLock { state -> Date? in
            guard let due = state.expiries[key], state.timers[key] != due,
                state.watches[key]?.contains(where: { $0.watch != nil }) == true
            else { return nil }
            state.timers[key] = due
            return due
        }
        guard let due else { return }
        // A timer that is early is set again; a year is what any clock can count.
        let seconds = min(max(0, due.timeIntervalSince(now())), 31_536_000)
        queue.asyncAfter(wallDeadline: .now() + seconds) { [weak self] in self?.ring(due, of: key) }
    }

    private func ring(_ due: Date, of key: RecordKey) {
        let isOver = due <= now()
        let watches = state.withLock { state -> [UserWatch] in
            if state.timers[key] == due { state.timers[key] = nil }
            guard isOver, state.expiries[key] == due else { return [] }
            state.expiries[key] = nil
            return (state.watches[key] ?? []).compactMap(\.watch)
        }
        for watch in watches { watch.report(.changed) }
        setTimer(of: key)
    }
}

/// A watch on a user: on what the session depends on, and on its expiry.
private final class UserWatch: RecordWatch {
    /// A closure alone would be wrapped once more by each look through the lock, which goes through generic code.
    private struct Handler {
        let handle: @Sendable (RecordEvent) -> Void
    }

    private let underlying: [any RecordWatch]
    private let handler: Mutex<Handler?>

    init(_ underlying: [any RecordWatch], _ handler: @escaping @Sendable (RecordEvent) -> Void) {
        self.underlying = underlying
        self.handler = Mutex(Handler(handle: handler))
    }

    func report(_ event: RecordEvent) {
        let handler = handler.withLock { $0 }
        handler?.handle(event)
    }

    func cancel() {
        for watch in underlying { watch.cancel() }
        handler.withLock { $0 = nil }
    }
}
