internal import Glibc
internal import SecretService
internal import Synchronization

/// Kills the process at a write, once it was told at which.
final class DeathTap: Sendable {
    private let remaining = Mutex<Int?>(nil)

    /// The write after so many more is the one that does not happen.
    func die(after writes: Int) { remaining.withLock { $0 = writes } }

    var interceptor: CallInterceptor {
        CallInterceptor { [self] call, _ in
            guard ["CreateItem", "Delete"].contains(call.member) else { return nil }
            let isTime = remaining.withLock { remaining in
                guard let left = remaining else { return false }
                remaining = left - 1
                return left == 0
            }
            if isTime { raise(SIGKILL) }
            return nil
        }
    }
}
