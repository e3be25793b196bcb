internal import Synchronization

/// A time limit for a call.
///
/// Passed to several calls, it limits all of them together.
public struct Deadline: Sendable, Hashable {
    private let instant: ContinuousClock.Instant
    package let cancellation: Cancellation?

    /// Returns the deadline `duration` from now. A negative duration gives a deadline that has passed.
    ///
    /// Cancelling `cancellation` also expires the deadline: a call that waits for the user ends immediately, any other
    /// call when the daemon has replied.
    public static func after(_ duration: Duration, cancelledBy cancellation: Cancellation? = nil) -> Deadline {
        Deadline(instant: .now + duration, cancellation: cancellation)
    }

    /// The time left, never negative.
    public var remaining: Duration {
        isCancelled ? .zero : max(.zero, ContinuousClock.now.duration(to: instant))
    }

    /// Indicates whether the deadline has passed.
    public var isPast: Bool {
        isCancelled || ContinuousClock.now >= instant
    }

    /// Returns the earlier of this deadline and the one `duration` from now, with the same cancellation.
    package func atMost(_ duration: Duration) -> Deadline {
        Deadline(instant: min(instant, .now + duration), cancellation: cancellation)
    }

    /// Indicates whether the deadline was cancelled.
    package var isCancelled: Bool { cancellation?.isCancelled ?? false }
}

/// Ends a call before its deadline, from another thread: cancelling this expires each ``Deadline`` created with it.
public final class Cancellation: Sendable {
    private struct State {
        var isCancelled = false
        var observers: [Int: @Sendable () -> Void] = [:]
        var nextNumber = 0
    }

    private let state = Mutex(State())

    /// Creates a cancellation.
    public init() {}

    /// Indicates whether it was cancelled.
    public var isCancelled: Bool { state.withLock { $0.isCancelled } }

    /// Ends the calls whose deadlines use this cancellation. Further calls do nothing.
    public func cancel() {
        let observers = state.withLock { state in
            state.isCancelled = true
            defer { state.observers = [:] }
            return state.observers.values.map(\.self)
        }
        for observer in observers { observer() }
    }

    /// Runs `body`, and calls `observer` if this is cancelled before `body` returns, or was cancelled already.
    package func observed<Result>(by observer: @escaping @Sendable () -> Void, _ body: () -> Result) -> Result {
        let number: Int? = state.withLock { state in
            guard !state.isCancelled else { return nil }
            state.nextNumber += 1
            state.observers[state.nextNumber] = observer
            return state.nextNumber
        }
        guard let number else {
            observer()
            return body()
        }
        defer { state.withLock { state in state.observers[number] = nil } }
        return body()
    }
}

extension Cancellation: Hashable {
    /// Returns whether both are the same object.
    public static func == (left: Cancellation, right: Cancellation) -> Bool { left === right }

    /// Hashes the object's identity.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(ObjectIdentifier(self))
    }
}

extension Duration {
    /// The duration in microseconds, rounded up, and limited to about three weeks so that milliseconds fit GLib's
    /// 32-bit timeouts.
    package var wholeMicroseconds: Int64 {
        let (seconds, attoseconds) = components
        guard seconds < 2_000_000 else { return 2_000_000_000_000 }
        return seconds * 1_000_000 + (attoseconds + 999_999_999_999) / 1_000_000_000_000
    }

    /// The duration in milliseconds, rounded up, and limited to about three weeks.
    package var wholeMilliseconds: Int32 {
        Int32((wholeMicroseconds + 999) / 1000)
    }
}
