package import SecretService
internal import Synchronization

/// Makes calls of the Secret Service fail, while it is armed.
package final class Fault: Sendable {
    /// How calls fail, from a given one on.
    package enum Kind: String, CaseIterable, Sendable {
        /// It never left, this once.
        case beforeOnce
        /// It never left, nor does any after it.
        case beforeForGood
        /// It was carried out, and not answered, this once.
        case unansweredOnce
        /// It was carried out and not answered, as is every one after it.
        case unansweredForGood
    }

    private struct State {
        /// The kind of call; nil for all.
        var member: String?
        /// The first call that fails, counted from 1, and how many do.
        var first = Int.max
        var times = 0
        var code = SecretServiceError.Code.noDaemon
        var isCarriedOut = false
        var isArmed = true
        var calls = 0

        func concerns(_ call: BusCall) -> Bool {
            guard isArmed else { return false }
            // Giving a name back is not answered; it gets lost only with the connection, and then the bus takes it.
            return member.map { $0 == call.member } ?? (call.member != "ReleaseName")
        }
    }

    private let state = Mutex(State(isArmed: false))

    package init() {}

    /// Lets the next calls of one kind fail before they leave, after some that do not.
    package func fail(
        _ member: String,
        after skipped: Int = 0,
        times: Int = 1,
        as code: SecretServiceError.Code = .protocolViolation
    ) {
        state.withLock { $0 = State(member: member, first: skipped + 1, times: times, code: code) }
    }

    /// Lets calls of whatever kind fail, from one that is counted from now on.
    package func fail(at number: Int, _ kind: Kind) {
        let isCarriedOut = kind == .unansweredOnce || kind == .unansweredForGood
        let isForGood = kind == .beforeForGood || kind == .unansweredForGood
        let code = isCarriedOut ? SecretServiceError.Code.timedOut : .noDaemon
        state.withLock {
            $0 = State(first: number, times: isForGood ? .max : 1, code: code, isCarriedOut: isCarriedOut)
        }
    }

    /// Counts calls from now on, and lets none fail.
    package func count() { state.withLock { $0 = State() } }

    /// Lets every call through again.
    package func disarm() { state.withLock { $0.isArmed = false } }

    /// How many calls were concerned while it was armed.
    package var calls: Int { state.withLock { $0.calls } }

    /// How many of the calls that were to fail did not come yet.
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
                message: "\(call.member): the test lets it fail.",
                outcomeIsUnknown: fault.isCarriedOut
            )
        }
    }
}
