internal import Synchronization

/// A moment by which a call must be over.
///
/// Passed to several calls, it bounds all of them together.
public struct Deadline: Sendable, Hashable {
    private let instant: ContinuousClock.Instant
    package let cancellation: Cancellation?

    /// The moment `duration` from now; a negative duration gives a moment that is past.
    ///
    /// When `cancellation` is cancelled, the moment has come too: a call that waits for the person then ends at once,
    /// any other as soon as the daemon has answered.
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

    /// This moment, or the one `duration` from now if that comes first; both are cancelled together.
    package func atMost(_ duration: Duration) -> Deadline {
        Deadline(instant: min(instant, .now + duration), cancellation: cancellation)
    }

    /// Whether the moment has come because the call was cancelled.
    package var isCancelled: Bool { cancellation?.isCancelled ?? false }
}

/// A way to end a call before its deadline, from another thread: a ``Deadline`` made with it has come once this is
/// cancelled.
public final class Cancellation: Sendable {
    private struct State {
        var isCancelled = false
        var observers: [Int: @Sendable () -> Void] = [:]
        var nextNumber = 0
    }

    private let state = Mutex(State())

    /// Creates one that is not cancelled.
    public init() {}

    /// Whether it was cancelled.
    public var isCancelled: Bool { state.withLock { $0.isCancelled } }

    /// Ends the calls that it bounds; does nothing the second time.
    public func cancel() {
        let observers = state.withLock { state in
            state.isCancelled = true
            defer { state.observers = [:] }
            return state.observers.values.map(\.self)
        }
        for observer in observers { observer() }
    }

    /// Runs `body`, and calls `observer` if this is cancelled before that returns, or was cancelled already.
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
    /// Whether both are the same object.
    public static func == (left: Cancellation, right: Cancellation) -> Bool { left === right }

    /// Hashes the identity.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(ObjectIdentifier(self))
    }
}

extension Duration {
    /// Rounded up, and cut at some three weeks so that milliseconds fit GLib's 32-bit timeouts.
    package var wholeMicroseconds: Int64 {
        let (seconds, attoseconds) = components
        guard seconds < 2_000_000 else { return 2_000_000_000_000 }
        return seconds * 1_000_000 + (attoseconds + 999_999_999_999) / 1_000_000_000_000
    }

    /// Rounded up, and cut at some three weeks.
    package var wholeMilliseconds: Int32 {
        Int32((wholeMicroseconds + 999) / 1000)
    }
}
