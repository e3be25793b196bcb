internal import FoundationEssentials
internal import SharedAuth

/// Clocks, sleep and randomness; replaced in tests.
struct Dependencies: Sendable {
    /// The time of day, used for the dates of ID tokens.
    var now: @Sendable () -> Date = { Date() }
    /// The time since a fixed moment, by a monotonic clock that includes sleep.
    var elapsed: @Sendable () -> Duration = ContinuousClock.stopwatch()
    /// Sleeps; throws if the task is cancelled.
    var pause: @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0, clock: .continuous) }
    var random: @Sendable (_ count: Int) -> [UInt8] = { randomBytes($0) }
}

/// Runs a sign-in. If the task was cancelled, reports any error other than `outcomeUnknown` as a cancellation.
func endingWhenCancelled<Value>(_ signIn: () async throws(AuthError) -> Value) async throws(AuthError) -> Value {
    do throws(AuthError) {
        return try await signIn()
    } catch {
        throw Task.isCancelled && error.code != .outcomeUnknown ? .cancelledSignIn : error
    }
}
