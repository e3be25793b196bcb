internal import Synchronization

/// The user objects that the app holds. An account keeps its object as long as the app holds it: through a failure, a
/// move to another slot, and a reload.
final class LiveUsers: Sendable {
    private struct Reference {
        weak var user: User?
    }

    private struct State {
        /// The current user. Nothing refers to it weakly: retaining an object that was ever referred to so takes several
        /// times as long, and each read of `currentUser` retains it.
        var current: User?
        /// The users that were current before.
        var former: [AccountID: Reference] = [:]
    }

    private let state = Mutex(State())

    /// Returns the object of an account that is or was current, if the app still has it; else a new one.
    func user(_ account: Account, in slot: Slot, auth: Auth?) -> User {
        let id = account.id
        let known = state.withLock { $0.current?.id == id ? $0.current : $0.former[id]?.user }
        return known ?? User(account, auth: auth, slot: slot)
    }

    /// Notes the object of the current user; nil if there is none, or if it is not known.
    func note(_ user: User?) {
        state.withLock { state in
            if state.current === user { return }
            if let former = state.current {
                state.former = state.former.filter { $0.value.user != nil }
                state.former[former.id] = Reference(user: former)
            }
            state.current = user
        }
    }
}
