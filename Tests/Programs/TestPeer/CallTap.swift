internal import Glibc
internal import SecretService
internal import SharedAuth
internal import Synchronization

/// Counts the calls of the Secret Service, or the steps of a file store, and springs the trap at the one it is set for.
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

    /// How many calls have left.
    var calls: Int { state.withLock { $0.calls } }

    /// Sets a trap; calls count from now.
    func set(_ trap: Trap) {
        state.withLock { ($0.trap, $0.setAt) = (trap, $0.calls) }
    }

    var interceptor: CallInterceptor {
        CallInterceptor { [self] call, proceed in
            guard let trap = trap(for: call.member) else { return nil }
            // What the call would have ended with is the caller's to learn, should there still be one.
            if trap.isAfter { _ = proceed() }
            // Sent to this very thread, which then does nothing more before the process has stopped.
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

/// What befalls the process at one of its calls of the Secret Service.
struct Trap: Sendable {
    enum Act: String, Sendable {
        /// SIGKILL.
        case kill
        /// SIGSTOP.
        case stop
    }

    enum Call: Sendable {
        /// The so-manieth from now, from 1.
        case ordinal(Int)
        /// The next of this method.
        case member(String)

        init(_ text: String) {
            self = Int(text).map(Call.ordinal) ?? .member(text)
        }
    }

    var act: Act
    var call: Call
    /// Whether the call is carried out first.
    var isAfter: Bool
}
