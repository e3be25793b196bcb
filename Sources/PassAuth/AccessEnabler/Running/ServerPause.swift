internal import FoundationEssentials
internal import Synchronization

/// The pause that a server asks for after too many calls.
///
/// It is measured by a clock that nobody sets, and lasts a minute at most. A call waits for a second of it, within its own
/// time; a longer pause ends the call.
final class ServerPause: Sendable {
    /// The longest pause, whatever a server asks for.
    static let longest = Duration.seconds(60)
    /// The pause after a server's refusal that asks for none, which is also the longest that a call waits for.
    static let shortest = Duration.seconds(1)

    private let elapsed: @Sendable () -> Duration
    private let now: @Sendable () -> Date
    private let end = Mutex(Duration.zero)

    init(elapsed: @escaping @Sendable () -> Duration, now: @escaping @Sendable () -> Date) {
        (self.elapsed, self.now) = (elapsed, now)
    }

    /// Begins a pause.
    func begin(_ wish: Duration?) {
        let pause = min(Self.longest, max(Self.shortest, wish ?? .zero))
        let elapsed = elapsed()
        end.withLock { $0 = max($0, elapsed + pause) }
    }

    /// Returns how long a call is to wait; zero if there is no pause.
    ///
    /// - Throws: `throttled`, with the moment at which to try again, in a pause that is too long to wait for.
    func wait() throws(PassBackendError) -> Duration {
        let rest = end.withLock { $0 } - elapsed()
        if rest <= .zero { return .zero }
        if rest <= Self.shortest { return rest }
        let moment = now() + (rest / .seconds(1)).rounded(.up)
        throw PassBackendError(
            .throttled,
            "Pass was asked too often, and wants a pause. Try again at \(moment.ISO8601Format()).",
            retryAfter: rest
        )
    }
}
