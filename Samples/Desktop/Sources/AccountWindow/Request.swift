internal import SharedAuth

/// Something that a person asks the window for.
enum Request {
    case signIn(email: String, password: String)
    /// Make an account, which the person was asked about.
    case createAccount(email: String, password: String)
    case signInAsGuest
    case signOut
    case switchAccount(uid: String)
    case unlock
    /// Ask the keyring again.
    case lookAgain
    /// Set aside what cannot be read, and begin without it.
    case startOver

    /// What to say after this failed, in a line.
    func headline(of error: AuthError) -> String {
        if case .unlock = self, error.code == .timedOut { return "Nobody answered the keyring's dialog" }
        return error.headline
    }

    /// What may help after this failed.
    func remedy(for error: AuthError) -> (label: String, request: Request)? {
        switch error.code {
        case .keyringLocked: ("Unlock…", .unlock)
        case .keyringUnavailable, .timedOut, .outcomeUnknown, .conflict, .keychainError: ("Try Again", self)
        default: nil
        }
    }
}
