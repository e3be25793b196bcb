internal import SharedAuth

/// A request of the user to the window.
enum Request {
    case signIn(email: String, password: String)
    /// Create an account, which the user has confirmed.
    case createAccount(email: String, password: String)
    case signInAsGuest
    case signOut
    case switchAccount(uid: String)
    case unlock
    /// Read the keyring again, and unlock it if it is locked now.
    case lookAgain
    /// Set the unreadable record aside, and start without it.
    case startOver

    /// Returns the message for a failure of this request, in one line.
    func headline(of error: AuthError) -> String {
        if case .unlock = self, error.code == .timedOut { return "The keyring's dialog timed out" }
        return error.headline
    }

    /// Returns the action to offer after a failure of this request.
    func remedy(for error: AuthError) -> (label: String, request: Request)? {
        switch error.code {
        case .keyringLocked: ("Unlock…", .unlock)
        case .keyringUnavailable, .timedOut, .outcomeUnknown, .conflict, .keychainError: ("Try Again", self)
        default: nil
        }
    }
}
