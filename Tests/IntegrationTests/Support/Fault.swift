import SecretService
import Synchronization

/// Makes calls of the Secret Service fail, once it is armed.
final class Fault: Sendable {
    private struct State {
        var member: String?
        var skipped = 0
        var times = 0
        var code = SecretServiceError.Code.protocolViolation
    }

    private let state = Mutex(State())

    /// Lets the next calls of one kind fail before they leave, after some that do not.
    func fail(
        _ member: String,
        after skipped: Int = 0,
        times: Int = 1,
        as code: SecretServiceError.Code = .protocolViolation
    ) {
        state.withLock { $0 = State(member: member, skipped: skipped, times: times, code: code) }
    }

    /// How many of the calls that were to fail did not come yet.
    var remaining: Int { state.withLock { $0.times } }

    var interceptor: CallInterceptor {
        CallInterceptor { [self] call, _ in
            state.withLock { state in
                guard call.member == state.member, state.times > 0 else { return nil }
                if state.skipped > 0 {
                    state.skipped -= 1
                    return nil
                }
                state.times -= 1
                return SecretServiceError(code: state.code, message: "The test lets it fail.")
            }
        }
    }
}
