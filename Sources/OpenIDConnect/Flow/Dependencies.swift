internal import FoundationEssentials
internal import SharedAuth

/// Clocks, sleep and randomness; replaced in tests.
struct Dependencies: Sendable {
    /// The time of day, which ID tokens are dated by.
    var now: @Sendable () -> Date = { Date() }
    /// The time since some moment, by a clock that nobody sets and that counts while the machine is asleep.
    var elapsed: @Sendable () -> Duration = ContinuousClock.stopwatch()
    /// Waits; ends early, with an error, when the task is cancelled.
    var pause: @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0, clock: .continuous) }
    var random: @Sendable (_ count: Int) -> [UInt8] = { randomBytes($0) }
}

/// Runs a sign-in; whatever was cut off by it, that the app gave up is why.
func endingWhenCancelled<Value>(_ signIn: () async throws(AuthError) -> Value) async throws(AuthError) -> Value {
    do throws(AuthError) {
        return try await signIn()
    } catch {
        throw Task.isCancelled && error.code != .outcomeUnknown ? .cancelledSignIn : error
    }
}
