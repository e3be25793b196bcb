internal import Synchronization

/// A consistent snapshot of an `Auth` after one event, for libraries that expose it to other languages.
package struct SessionView: Sendable {
    /// The state of the current user.
    package let state: AuthState
    /// The reason why the current user is not known; nil if the user is known, or if the first load has not ended.
    package let failure: AuthError?
    /// The error that keeps changes from being saved; nil if none is known.
    package let saveFailure: AuthError?
    /// The access group in use; nil for the app's own slot, and until the stored group choice is read.
    package let accessGroup: String?
    /// The current user.
    package let user: ShownUser?
    /// The users of the slot in use, including the current one if it is stored there. Empty if the slot cannot be read.
    package let accounts: [ShownUser]

    /// A user, as known at the time of the snapshot.
    package struct ShownUser: Sendable {
        /// The user.
        package let user: User
        /// The id of the account.
        package let id: AccountID
        /// The user's profile at the time of the snapshot.
        package let profile: UserProfile
        /// The reason why the user must sign in again, at the time of the snapshot.
        package let sessionFailure: AuthError?

        /// Creates a snapshot of the user as known at present.
        package init(_ user: User) { self.init(user, user.snapshot) }

        init(_ user: User, _ account: Account) {
            (self.user, id, profile) = (user, account.id, account.profile)
            sessionFailure = account.sessionFailure
        }
    }

    init(_ state: SessionState, users: LiveUsers, auth: Auth?) {
        self.state = state.answer
        failure = state.failure
        saveFailure = state.saveFailure
        accessGroup = state.slot?.groupName
        let current = state.user.map(ShownUser.init)
        user = current
        accounts = state.accounts.map { account in
            if let current, current.id == account.id { return current }
            return ShownUser(users.user(account, in: state.slot ?? .own, auth: auth), account)
        }
    }

    /// Creates the view of an `Auth` that could not be created because of an error.
    package init(unavailable error: AuthError) {
        (state, failure, saveFailure, accessGroup, user, accounts) = (.unavailable(error), error, nil, nil, nil, [])
    }

    /// The view before the first load has ended.
    package static let unknown = SessionView()

    private init() {
        (state, failure, saveFailure, accessGroup, user, accounts) = (.unknown, nil, nil, nil, nil, [])
    }
}

/// Passes a view of an `Auth` to one function after each event, in the order of the events.
final class Presenter: Sendable {
    private let audience = Mutex(Audience())

    /// Stored in a struct to avoid another reabstraction thunk on each access through the generic `Mutex`.
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
    /// Calls a function with a view of this `Auth` now and after each event, including events without an announcement
    /// to listeners, such as a failed read of a locked keyring.
    ///
    /// The function must not block or use the `Auth`. A second call replaces the function.
    package func present(to function: @escaping @Sendable (SessionView) -> Void) {
        engine.presenter.begin(function)
        engine.present()
    }
}

extension Auth {
    /// The reason why the current user is not known; nil if the user is known, or if the first load has not ended.
    /// Reading it never waits.
    package var failure: AuthError? { engine.now { $0.failure } }
}
