/// What is known of the current user: six answers that are never confused.
///
/// Only `signedOut` means that nobody is signed in. `currentUser` is nil in all but `signedIn`.
@frozen
public enum AuthState: Sendable {
    /// The first load has not ended.
    case unknown
    /// A user is signed in.
    case signedIn(User)
    /// Nobody is signed in.
    case signedOut
    /// The keyring is locked, so it is not known who is signed in.
    case locked
    /// There is no keyring to ask; the error says why.
    case unavailable(AuthError)
    /// What is stored cannot be read; the error says why.
    case damaged(AuthError)

    /// What an error that kept a slot from being read says of its user.
    package init(_ error: AuthError) {
        self =
            switch error.code {
            case .keyringLocked: .locked
            case .recordDamaged, .recordVersionUnsupported: .damaged(error)
            default: .unavailable(error)
            }
    }
}
