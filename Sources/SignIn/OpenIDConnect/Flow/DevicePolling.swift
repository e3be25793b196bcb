internal import SharedAuth

/// Decides when a device that waits for the user polls again (RFC 8628 §3.5).
struct DevicePolling: Sendable {
    /// The outcome of a poll.
    enum Answer: Sendable {
        case granted(TokenAnswer)
        case refused(ServerRefusal)
        /// The server could not be reached, or its response was invalid.
        case failed(AuthError)
    }

    /// The next step.
    enum Step: Sendable {
        /// Poll again after this time.
        case wait(Duration)
        case finish(TokenAnswer)
        case fail(AuthError)
    }

    private var interval: Duration
    private let lifetime: Duration
    /// Doubled by each consecutive network failure.
    private var factor = 1

    /// Creates the schedule. The first poll is sent after one interval.
    init(interval: Double?, lifetime: Double) {
        self.interval = .seconds(min(max(interval ?? 5, 1), 300))
        self.lifetime = .seconds(lifetime)
    }

    /// The pause before the first poll.
    var first: Duration { min(interval, lifetime) }

    /// Returns the next step after a response; `elapsed` counts from the arrival of the codes.
    mutating func step(after answer: Answer, elapsed: Duration) -> Step {
        switch answer {
        case .granted(let tokens):
            return .finish(tokens)
        case .refused(let refusal) where refusal.word == "authorization_pending":
            factor = 1
        case .refused(let refusal) where refusal.word == "slow_down":
            factor = 1
            interval += .seconds(5)
        case .refused(let refusal):
            return .fail(refusal.error(of: .devicePoll))
        case .failed(let error):
            let passing: [AuthErrorCode] = [.networkError, .timedOut, .outcomeUnknown, .tooManyRequests]
            guard passing.contains(error.code) else { return .fail(error) }
            factor = min(factor * 2, 16)
        }
        guard elapsed < lifetime else { return .fail(ServerRefusal("expired_token").error(of: .devicePoll)) }
        return .wait(min(interval * factor, lifetime - elapsed))
    }
}
