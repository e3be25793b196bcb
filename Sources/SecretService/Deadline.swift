/// A moment by which a call has to be over.
///
/// Made once and handed to several calls, it bounds all of them together.
public struct Deadline: Sendable, Hashable {
    private let instant: ContinuousClock.Instant

    /// The moment `duration` from now; a negative duration gives a moment that is past.
    public static func after(_ duration: Duration) -> Deadline {
        Deadline(instant: .now + duration)
    }

    /// The time left, never negative.
    public var remaining: Duration {
        max(.zero, ContinuousClock.now.duration(to: instant))
    }

    /// Whether the moment has come.
    public var isPast: Bool {
        ContinuousClock.now >= instant
    }
}
