internal import Glibc
internal import SecretService
internal import SharedAuth
internal import Synchronization

/// Counts the Secret Service calls, or the steps of a file store, and springs a trap at the configured one.
final class CallTap: Sendable {
    private struct State {
        var calls = 0
        var trap: Trap?
        var setAt = 0
    }

    private let state: Mutex<State>

    init(_ trap: Trap?) {
        state = Mutex(State(trap: trap))
    }

    /// The number of calls that were sent.
    var calls: Int { state.withLock { $0.calls } }

    /// Sets a trap, which counts calls from now.
    func set(_ trap: Trap) {
        state.withLock { ($0.trap, $0.setAt) = (trap, $0.calls) }
    }

    var interceptor: CallInterceptor {
        CallInterceptor { [self] call, proceed in
            guard let trap = trap(for: call.member) else { return nil }
            // If the process continues, the caller gets this result.
            if trap.isAfter { _ = proceed() }
            // The signal is sent to this thread, which does nothing more before the process has stopped.
            raise(trap.act == .kill ? SIGKILL : SIGSTOP)
            return nil
        }
    }

    var stepInterceptor: FileStepInterceptor {
        FileStepInterceptor { [self] step, proceed in
            guard let trap = trap(for: step.rawValue) else { return proceed() }
            let result = trap.isAfter ? proceed() : 0
            raise(trap.act == .kill ? SIGKILL : SIGSTOP)
            return trap.isAfter ? result : proceed()
        }
    }

    private func trap(for call: String) -> Trap? {
        state.withLock { state in
            state.calls += 1
            guard let trap = state.trap else { return nil }
            let isMeant =
                switch trap.call {
                case .ordinal(let ordinal): state.calls - state.setAt == ordinal
                case .member(let member): call == member
                }
            guard isMeant else { return nil }
            state.trap = nil
            return trap
        }
    }
}

/// A signal at one of the process's Secret Service calls.
struct Trap: Sendable {
    enum Act: String, Sendable {
        /// SIGKILL.
        case kill
        /// SIGSTOP.
        case stop
    }

    enum Call: Sendable {
        /// The call with this number, counted from 1 since the trap was set.
        case ordinal(Int)
        /// The next call of this method.
        case member(String)

        init(_ text: String) {
            self = Int(text).map(Call.ordinal) ?? .member(text)
        }
    }

    var act: Act
    var call: Call
    /// True if the call is carried out first.
    var isAfter: Bool
}
