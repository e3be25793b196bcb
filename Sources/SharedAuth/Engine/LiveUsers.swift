internal import Synchronization

/// The users that the app has objects of, so that one account stays one object while the app keeps it: through a failure, a move to
/// another slot, and a reload. It keeps none itself.
final class LiveUsers: Sendable {
    private struct Reference {
        weak var user: User?
    }

    private let users = Mutex<[AccountID: Reference]>([:])

    /// The object of an account that was current before, if the app still has it; else another.
    func user(_ account: Account, in slot: Slot, auth: Auth?) -> User {
        let id = account.id
        return users.withLock { $0[id]?.user } ?? User(account, auth: auth, slot: slot)
    }

    /// Takes note of the object that is the current user.
    func note(_ user: User) {
        let id = user.id
        users.withLock { users in
            if users[id]?.user === user { return }
            users = users.filter { $0.value.user != nil }
            users[id] = Reference(user: user)
        }
    }
}
