/// The state of the current user: one of six that are never confused.
///
/// Only `signedOut` means that no user is signed in. `currentUser` is nil in every state but `signedIn`.
@frozen
public enum AuthState: Sendable {
    /// The first load has not ended.
    case unknown
    /// A user is signed in. ``User/sessionFailure`` tells whether the user must sign in again.
    case signedIn(User)
    /// No user is signed in.
    case signedOut
    /// The keyring is locked, so the current user is not known.
    case locked
    /// The keyring cannot be reached; the error describes the reason.
    case unavailable(AuthError)
    /// The stored record cannot be read; the error describes the reason.
    case damaged(AuthError)

    /// Creates the state of a slot that cannot be read because of an error.
    package init(_ error: AuthError) {
        self =
            switch error.code {
            case .keyringLocked: .locked
            case .recordDamaged, .recordVersionUnsupported: .damaged(error)
            default: .unavailable(error)
            }
    }
}
