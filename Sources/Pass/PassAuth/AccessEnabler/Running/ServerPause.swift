internal import FoundationEssentials
internal import Synchronization

/// The pause that a server requests after too many calls.
///
/// It is measured by a monotonic clock and lasts a minute at most. A call waits for up to a second of it, within its
/// own time limit; during a longer pause, calls fail.
final class ServerPause: Sendable {
    /// The longest pause, even if a server requests a longer one.
    static let longest = Duration.seconds(60)
    /// The pause after a refusal without a requested pause; also the longest time that a call waits.
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

    /// Returns how long a call has to wait; zero if there is no pause.
    ///
    /// - Throws: ``PassBackendError`` with code `throttled`, and the time at which to try again, if the pause is too
    ///   long to wait for.
    func wait() throws(PassBackendError) -> Duration {
        let rest = end.withLock { $0 } - elapsed()
        if rest <= .zero { return .zero }
        if rest <= Self.shortest { return rest }
        let moment = now() + (rest / .seconds(1)).rounded(.up)
        throw PassBackendError(
            .throttled,
            "Pass received too many requests and requires a pause. Try again at \(moment.ISO8601Format()).",
            retryAfter: rest
        )
    }
}
