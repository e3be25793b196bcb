internal import FoundationEssentials
internal import SharedAuth
internal import Synchronization

/// What a sign-in finds around it: clocks, pauses and chance.
struct Surroundings: Sendable {
    /// The time of day, which ID tokens are dated by.
    var now: @Sendable () -> Date = { Date() }
    /// The time since some moment, by a clock that nobody sets and that counts while the machine is asleep.
    var elapsed: @Sendable () -> Duration = Self.clock()
    /// Waits; ends early, with an error, when the task is cancelled.
    var pause: @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0, clock: .continuous) }
    var random: @Sendable (_ count: Int) -> [UInt8] = { count in (0..<count).map { _ in .random(in: .min ... .max) } }

    private static func clock() -> @Sendable () -> Duration {
        let start = ContinuousClock.now
        return { ContinuousClock.now - start }
    }
}

/// One person takes part in one sign-in at a time.
final class Interaction: Sendable {
    private let isRunning = Mutex(false)

    /// Runs a sign-in.
    ///
    /// - Throws: `webContextAlreadyPresented` while another runs, `webContextCancelled` when the task is cancelled.
    func run<Value>(_ signIn: () async throws(AuthError) -> Value) async throws(AuthError) -> Value {
        let isFirst = isRunning.withLock { running in
            defer { running = true }
            return !running
        }
        guard isFirst else {
            throw AuthError(
                .webContextAlreadyPresented,
                "Another sign-in waits for the person already. Finish or cancel it first."
            )
        }
        defer { isRunning.withLock { $0 = false } }
        do throws(AuthError) {
            return try await signIn()
        } catch {
            // Whatever was cut off by it, that the app gave up is why.
            throw Task.isCancelled && error.code != .outcomeUnknown ? .cancelledSignIn : error
        }
    }
}
