import SecretService
import Synchronization

/// Lets the calls of one app fail from a given one, while it is armed.
final class FaultPlan: Sendable {
    /// How a call fails.
    enum Kind: String, CaseIterable, Sendable {
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
        var isArmed = false
        var calls = 0
        var at = Int.max
        var kind = Kind.beforeOnce
    }

    private let state = Mutex(State())

    /// How many calls were made while armed.
    var calls: Int { state.withLock { $0.calls } }

    /// Fails call `number` from now on; without a number it only counts.
    func arm(_ number: Int = .max, _ kind: Kind = .beforeOnce) {
        state.withLock { $0 = State(isArmed: true, calls: 0, at: number, kind: kind) }
    }

    /// Lets every call through again.
    func disarm() { state.withLock { $0.isArmed = false } }

    var interceptor: CallInterceptor {
        CallInterceptor { [self] call, proceed in
            let kind = state.withLock { state -> Kind? in
                // Giving a name back is not answered; it gets lost only with the connection, and then the bus takes it.
                guard state.isArmed, call.member != "ReleaseName" else { return nil }
                state.calls += 1
                switch state.kind {
                case .beforeOnce, .unansweredOnce: return state.calls == state.at ? state.kind : nil
                case .beforeForGood, .unansweredForGood: return state.calls >= state.at ? state.kind : nil
                }
            }
            switch kind {
            case nil:
                return nil
            case .beforeOnce, .beforeForGood:
                return SecretServiceError(code: .noProvider, message: "\(call.member): the test lets nobody answer.")
            case .unansweredOnce, .unansweredForGood:
                _ = proceed()
                return SecretServiceError(
                    code: .timedOut,
                    message: "\(call.member): the test withholds the answer.",
                    outcomeIsUnknown: true
                )
            }
        }
    }
}
