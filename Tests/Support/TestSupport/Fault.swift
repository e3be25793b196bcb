package import SecretService
internal import Synchronization

/// Makes calls of the Secret Service fail while it is armed.
package final class Fault: Sendable {
    /// The ways in which calls fail, from a given one on.
    package enum Kind: String, CaseIterable, Sendable {
        /// One call is not sent.
        case beforeOnce
        /// One call is not sent, and no later one is.
        case beforeForGood
        /// One call is carried out, but its reply is lost.
        case unansweredOnce
        /// One call and all later ones are carried out, but their replies are lost.
        case unansweredForGood
    }

    private struct State {
        /// The kind of call, or nil for all kinds.
        var member: String?
        /// The first call that fails, counted from 1, and the number of calls that fail.
        var first = Int.max
        var times = 0
        var code = SecretServiceError.Code.noDaemon
        var isCarriedOut = false
        var isArmed = true
        var calls = 0

        func concerns(_ call: BusCall) -> Bool {
            guard isArmed else { return false }
            // Releasing a name has no reply. It is lost only with the connection, and then the bus releases the name.
            return member.map { $0 == call.member } ?? (call.member != "ReleaseName")
        }
    }

    private let state = Mutex(State(isArmed: false))

    package init() {}

    /// Makes the next calls of one kind fail before they are sent, after skipping some.
    package func fail(
        _ member: String,
        after skipped: Int = 0,
        times: Int = 1,
        as code: SecretServiceError.Code = .protocolViolation
    ) {
        state.withLock { $0 = State(member: member, first: skipped + 1, times: times, code: code) }
    }

    /// Makes calls of any kind fail, starting with the one of this number, counted from now on.
    package func fail(at number: Int, _ kind: Kind) {
        let isCarriedOut = kind == .unansweredOnce || kind == .unansweredForGood
        let isForGood = kind == .beforeForGood || kind == .unansweredForGood
        let code = isCarriedOut ? SecretServiceError.Code.timedOut : .noDaemon
        state.withLock {
            $0 = State(first: number, times: isForGood ? .max : 1, code: code, isCarriedOut: isCarriedOut)
        }
    }

    /// Counts calls from now on, and makes none fail.
    package func count() { state.withLock { $0 = State() } }

    /// Lets every call succeed again.
    package func disarm() { state.withLock { $0.isArmed = false } }

    /// The number of matching calls while it was armed.
    package var calls: Int { state.withLock { $0.calls } }

    /// The number of failures still to come.
    package var remaining: Int { state.withLock { $0.times - min($0.times, max(0, $0.calls - $0.first + 1)) } }

    package var interceptor: CallInterceptor {
        CallInterceptor { [self] call, proceed in
            let fault = state.withLock { state -> State? in
                guard state.concerns(call) else { return nil }
                state.calls += 1
                return state.calls >= state.first && state.calls - state.first < state.times ? state : nil
            }
            guard let fault else { return nil }
            if fault.isCarriedOut { _ = proceed() }
            return SecretServiceError(
                code: fault.code,
                message: "\(call.member): the test makes it fail.",
                outcomeIsUnknown: fault.isCarriedOut
            )
        }
    }
}
