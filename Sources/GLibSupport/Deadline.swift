/// A moment by which a call has to be over.
///
/// Made once and handed to several calls, it bounds all of them together.
public struct Deadline: Sendable, Hashable {
    private let instant: ContinuousClock.Instant
    package let cancellation: Cancellation?

    /// The moment `duration` from now; a negative duration gives a moment that is past.
    ///
    /// With a cancellation the moment has come, too, when that is cancelled: a call that waits for the person ends then at
    /// once, any other as soon as the provider has answered.
    public static func after(_ duration: Duration, cancelledBy cancellation: Cancellation? = nil) -> Deadline {
        Deadline(instant: .now + duration, cancellation: cancellation)
    }

    /// The time left, never negative.
    public var remaining: Duration {
        isCancelled ? .zero : max(.zero, ContinuousClock.now.duration(to: instant))
    }

    /// Whether the moment has come.
    public var isPast: Bool {
        isCancelled || ContinuousClock.now >= instant
    }

    /// Whether the moment has come because the call was cancelled.
    package var isCancelled: Bool { cancellation?.isCancelled ?? false }
}
