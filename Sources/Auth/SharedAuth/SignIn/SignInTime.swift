internal import Synchronization

/// The time limit of the user in an interactive sign-in, and what to do when it is over.
///
/// It is measured once: by the `Auth` that runs the sign-in, or by the sign-in itself if it runs without an `Auth`.
package struct SignInTime: Sendable {
    private let limit: Duration
    private let elapsed: @Sendable () -> Duration
    private let began: Duration
    private let isMeasuredHere: Bool
    private let advice: SignInAdvice

    /// Starts the time.
    ///
    /// - Parameter elapsed: The time since a fixed moment.
    package init(_ limit: Duration, _ elapsed: @escaping @Sendable () -> Duration) {
        (self.limit, self.elapsed, began) = (limit, elapsed, elapsed())
        isMeasuredHere = SignInAdvice.ofAuth == nil
        advice = SignInAdvice.ofAuth ?? SignInAdvice()
    }

    /// The rest of the time; practically unlimited if the `Auth` measures it.
    package var left: Duration { isMeasuredHere ? max(.zero, limit - (elapsed() - began)) : .seconds(86_400 * 365) }

    /// Sets what the user can do when the time is over.
    package func advise(_ remedy: String) { advice.remedy.withLock { $0 = remedy } }

    /// Notes what went wrong meanwhile, as the continuation of a sentence, and what to do about it.
    package func note(_ event: String, remedy: String) { advice.event.withLock { $0 = (event, remedy) } }

    /// The error when the time is over.
    package var isOver: AuthError { advice.isOver(after: limit) }
}

/// Advice for the user when the time of a sign-in is over. The sign-in gives it while it runs.
final class SignInAdvice: Sendable {
    /// The advice of the sign-in that an `Auth` runs in this task.
    @TaskLocal static var ofAuth: SignInAdvice?

    let remedy = Mutex<String?>(nil)
    let event = Mutex<(text: String, remedy: String)?>(nil)

    /// The error when the user was not done within the limit.
    func isOver(after limit: Duration) -> AuthError {
        let event = event.withLock { $0 }
        let remedies = [event?.remedy ?? "Start it again.", remedy.withLock { $0 }]
        return AuthError(
            .timedOut,
            "The sign-in was not finished within \(limit.inWords)." + (event.map { " \($0.text)." } ?? ""),
            remedy: remedies.compactMap(\.self).joined(separator: " ")
        )
    }
}

extension Duration {
    /// The duration in words, such as "5 minutes".
    package var inWords: String {
        let (seconds, rest) = components
        let (number, unit) =
            if rest != 0, seconds < 1 << 40 {
                (seconds * 1000 + rest / 1_000_000_000_000_000, "millisecond")
            } else if seconds != 0, seconds % 60 == 0 {
                (seconds / 60, "minute")
            } else {
                (seconds, "second")
            }
        return "\(number) \(unit)\(number == 1 ? "" : "s")"
    }
}
