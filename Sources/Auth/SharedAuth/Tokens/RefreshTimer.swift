internal import DesktopSupport
internal import FoundationEssentials
internal import Synchronization

/// Refreshes the current user's tokens before they expire, once the app has requested a token (as Firebase does).
///
/// The refresh takes place five minutes before expiry, but not before half of the remaining time has passed. After a
/// failure it is tried again after 60 seconds, then after twice as long each time, up to 16 minutes. A refreshed token
/// is kept for at least 60 seconds even if it seems to have expired, so that a short-lived token or a wrong clock does
/// not cause endless refreshes. If the clock is set, the time of the refresh is known anew within ten minutes.
final class RefreshTimer: Sendable {
    /// Runs work when no time is left, and returns a closure that cancels it.
    typealias Schedule =
        @Sendable (
            _ remaining: @escaping @Sendable () -> Duration,
            _ work: @escaping @Sendable () -> Void
        ) -> @Sendable () -> Void

    private static let shortestDelay = 60.0
    private static let longestRetry = 16 * 60.0
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
    private let rules: TokenRules

    init(schedule: @escaping Schedule, _ rules: TokenRules) {
        self.schedule = schedule
        self.rules = rules
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
        state.cancel = schedule(remaining(for: user.snapshot.tokens, state)) { [weak self] in
            // The closure does not refer to the user, not even weakly: see LiveUsers.
            guard let self, let user = self.state.withLock({ $0.user }) else { return }
            Task { await self.refresh(user) }
        }
    }

    /// Returns a function that returns the time left until a refresh.
    private func remaining(for tokens: UserTokens, _ state: State) -> @Sendable () -> Duration {
        if state.failures > 0 {
            let retry = min(Self.shortestDelay * Double(1 << min(state.failures - 1, 10)), Self.longestRetry)
            let deadline = Deadline.after(.seconds(retry))
            return { deadline.remaining }
        }
        let shortest = Deadline.after(.seconds(state.isRenewed ? Self.shortestDelay : 0))
        let half = Deadline.after(Duration(limiting: (rules.timeLeft(of: tokens) ?? 0) / 2))
        return { [rules] in
            let left = rules.timeLeft(of: tokens) ?? 0
            // Also if the clock was set to a time after the expiry.
            if left <= 0 { return shortest.remaining }
            return max(Duration(limiting: left - Self.margin), half.remaining, shortest.remaining)
        }
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

    /// The schedule of processes that share tokens.
    static let live: Schedule = { remaining, work in
        let jitter = longestJitter(of: remaining()) * Double.random(in: 0...1)
        let timer = Timer(remaining: { remaining() + jitter }, ring: work)
        return { timer.cancel() }
    }
}
