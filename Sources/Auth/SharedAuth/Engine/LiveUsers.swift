internal import Synchronization

/// Weak references to the user objects that the app holds. An account keeps its object as long as the app holds it:
/// through a failure, a move to another slot, and a reload.
final class LiveUsers: Sendable {
    private struct Reference {
        weak var user: User?
    }

    private let users = Mutex<[AccountID: Reference]>([:])

    /// Returns the object of an account that was current before, if the app still has it; else a new one.
    func user(_ account: Account, in slot: Slot, auth: Auth?) -> User {
        let id = account.id
        return users.withLock { $0[id]?.user } ?? User(account, auth: auth, slot: slot)
    }

    /// Notes the object of the current user.
    func note(_ user: User) {
        let id = user.id
        users.withLock { users in
            if users[id]?.user === user { return }
            users = users.filter { $0.value.user != nil }
            users[id] = Reference(user: user)
        }
    }
}
