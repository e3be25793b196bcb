/// The moment by which a call must have ended.
public struct Deadline: Sendable {
    private let instant: ContinuousClock.Instant

    /// The deadline that lies `duration` ahead.
    public static func after(_ duration: Duration) -> Deadline {
        Deadline(instant: .now + duration)
    }

    /// The time left, never negative.
    public var remaining: Duration { max(.zero, instant - .now) }

    /// Whether no time is left.
    public var isPast: Bool { remaining == .zero }
}
