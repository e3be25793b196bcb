internal import Dispatch
internal import FoundationEssentials
internal import Synchronization

/// Refreshes the current user's tokens before they expire, once the app has requested a token (as Firebase does).
///
/// The refresh takes place five minutes before expiry, but not before half of the remaining time has passed. After a
/// failure it is tried again after 60 seconds, then after twice as long each time, up to 16 minutes. A refreshed token
/// is kept for at least 60 seconds even if it seems to have expired, so that a short-lived token or a wrong clock does
/// not cause endless refreshes.
final class RefreshTimer: Sendable {
    /// Runs work after a delay, and returns a closure that cancels it.
    typealias Schedule = @Sendable (Duration, @escaping @Sendable () -> Void) -> @Sendable () -> Void

    private static let shortestDelay = 60.0
    private static let longestRetry = 16 * 60.0
    /// The delay after which a distant or meaningless expiry is checked again.
    private static let longestDelay = 30 * 24 * 3600.0
    private static let margin = 5 * 60.0

    private struct State {
        var isWanted = false
        var user: User?
        var token: String?
        var failures = 0
        /// True if the user's token is not the first one seen here.
        var isRenewed = false
        var cancel: (@Sendable () -> Void)?
    }

    private let state = Mutex(State())
    private let schedule: Schedule
    private let now: @Sendable () -> Date

    init(schedule: @escaping Schedule, now: @escaping @Sendable () -> Date) {
        self.schedule = schedule
        self.now = now
    }

    /// Notes that the app uses tokens: from now on those of the current user are kept fresh.
    func want() {
        state.withLock { state in
            if state.isWanted { return }
            state.isWanted = true
            plan(&state)
        }
    }

    /// Notes that another user is current, or that the current user has another token.
    func follow(_ user: User?) {
        let token = user?.snapshot.tokens.announced
        state.withLock { state in
            if state.user === user, state.token == token { return }
            // The token of a peer counts, too: otherwise two processes would refresh in turn without a pause.
            state.isRenewed = state.user === user
            (state.user, state.token, state.failures) = (user, token, 0)
            plan(&state)
        }
    }

    private func plan(_ state: inout State) {
        state.cancel?()
        state.cancel = nil
        // The accounts of another issuer are refreshed by apps of that issuer. A session that cannot be refreshed ends
        // when it is used after its expiry.
        guard state.isWanted, let user = state.user, user.snapshot.tokens.refreshToken != nil,
            user.auth?.engine.identityProvider.issued(user.snapshot) ?? false
        else { return }
        state.cancel = schedule(.seconds(delay(for: user, state))) { [weak self] in
            // The closure does not refer to the user, not even weakly: see LiveUsers.
            guard let self, let user = self.state.withLock({ $0.user }) else { return }
            Task { await self.refresh(user) }
        }
    }

    private func delay(for user: User, _ state: State) -> Double {
        if state.failures > 0 {
            return min(Self.shortestDelay * Double(1 << min(state.failures - 1, 10)), Self.longestRetry)
        }
        let remaining = user.snapshot.tokens.expirationDate.timeIntervalSince(now())
        let delay = max(remaining - Self.margin, remaining / 2, state.isRenewed ? Self.shortestDelay : 0)
        // A comparison with NaN is false, and gives 0.
        return delay >= 0 ? min(delay, Self.longestDelay) : 0
    }

    private func refresh(_ user: User) async {
        guard let engine = user.auth?.engine else { return }
        let hasFailed: Bool
        do throws(AuthError) {
            try await engine.keepFresh(user)
            hasFailed = false
        } catch {
            hasFailed = true
        }
        state.withLock { state in
            guard state.user === user else { return }
            state.failures = hasFailed ? state.failures + 1 : 0
            if !hasFailed { state.isRenewed = true }
            state.token = user.snapshot.tokens.announced
            plan(&state)
        }
    }

    /// Returns the maximum time that is added to a delay, so that the processes do not all wake at the same time: a
    /// twentieth of the delay, and at most half of the margin before the expiry.
    static func longestJitter(of delay: Duration) -> Duration { min(delay / 20, .seconds(margin / 2)) }

    /// Returns a schedule that uses a queue and a clock that continues while the machine is suspended. A cancelled
    /// timer wakes nothing.
    static func schedule(on queue: DispatchQueue) -> Schedule {
        { delay, work in
            let item = DispatchWorkItem(block: work)
            let jitter = longestJitter(of: delay) * Double.random(in: 0...1)
            queue.asyncAfter(wallDeadline: .now() + (delay + jitter).dispatchInterval, execute: item)
            return { [item = CancellableItem(item)] in item.cancel() }
        }
    }
}

/// A work item that can be cancelled.
private struct CancellableItem: @unchecked Sendable {
    // DispatchWorkItem.cancel may be called from any thread.
    private let item: DispatchWorkItem

    init(_ item: DispatchWorkItem) {
        self.item = item
    }

    func cancel() { item.cancel() }
}
