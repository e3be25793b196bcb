internal import Synchronization

/// What an `Auth` knows at one moment: all of it is of one event. For libraries that show it in another language.
package struct SessionView: Sendable {
    /// What is known of the current user.
    package let state: AuthState
    /// Why it is not known who is signed in; nil if it is.
    package let failure: AuthError?
    /// The access group in use; nil for the app's own slot, and as long as that is not known.
    package let accessGroup: String?
    /// The current user.
    package let user: ShownUser?
    /// The users of the slot in use, the current one among them.
    package let accounts: [ShownUser]

    /// A user, and who that was at the moment.
    package struct ShownUser: Sendable {
        /// The user.
        package let user: User
        /// Which account it is.
        package let id: AccountID
        /// Who the user was.
        package let profile: UserProfile
        /// The user as it is now.
        package init(_ user: User) { self.init(user, user.snapshot) }

        init(_ user: User, _ account: Account) { (self.user, id, profile) = (user, account.id, account.profile) }
    }

    init(_ state: SessionState, users: LiveUsers, auth: Auth?) {
        self.state = state.answer
        failure = state.failure
        accessGroup = state.slot?.groupName
        let current = state.user.map(ShownUser.init)
        user = current
        accounts = state.accounts.map { account in
            if let current, current.id == account.id { return current }
            return ShownUser(users.user(account, in: state.slot ?? .own, auth: auth), account)
        }
    }

    /// What is known where there is no `Auth`: that nothing can be known, and why.
    package init(unavailable error: AuthError) {
        (state, failure, accessGroup, user, accounts) = (.unavailable(error), error, nil, nil, [])
    }

    /// What is known before an `Auth` is there: nothing.
    package static let unknown = SessionView()

    private init() { (state, failure, accessGroup, user, accounts) = (.unknown, nil, nil, nil, []) }
}

/// Shows what an `Auth` knows to one function, after each event and in their order.
final class Presenter: Sendable {
    private let audience = Mutex(Audience())

    /// The function in a structure: a mutex of a bare function wraps it once more at each look, and those add up.
    private struct Audience {
        var show: (@Sendable (SessionView) -> Void)?
    }

    func show(_ view: SessionView) {
        let audience = audience.withLock { $0 }
        audience.show?(view)
    }

    func begin(_ function: @escaping @Sendable (SessionView) -> Void) { audience.withLock { $0.show = function } }
}

extension Auth {
    /// Has a function called with what this `Auth` knows, now and after each event: also where no listener hears of it, as when the
    /// keyring turns out to be locked. It must not wait, nor use the `Auth`; a second call takes the place of the first.
    package func present(to function: @escaping @Sendable (SessionView) -> Void) {
        engine.presenter.begin(function)
        engine.present()
    }
}

extension Auth {
    /// Why it is not known who is signed in; nil if it is, and as long as the first load has not ended. Waits for nothing.
    package var failure: AuthError? { engine.state.failure }
}
