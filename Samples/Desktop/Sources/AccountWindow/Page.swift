internal import SharedAuth

/// The page that a window shows, one for each value of `auth.state`.
enum Page {
    case loading
    case signIn
    case signedIn(User)
    case locked
    case unavailable(AuthError)
    case damaged(AuthError)

    // example
    init(_ state: AuthState) {
        self =
            switch state {
            case .unknown: .loading
            case .signedOut: .signIn
            case .signedIn(let user): .signedIn(user)
            case .locked: .locked
            case .unavailable(let error): .unavailable(error)
            case .damaged(let error): .damaged(error)
            }
    }
    // end of example

    /// The name of the page in its stack.
    var name: String {
        switch self {
        case .loading: "loading"
        case .signIn: "sign-in"
        case .signedIn: "signed-in"
        case .locked: "locked"
        case .unavailable: "unavailable"
        case .damaged: "damaged"
        }
    }
}

extension AuthError {
    /// The message and the remedy, as sentences.
    var sentences: String { [message, remedy].compactMap(\.self).joined(separator: " ") }

    /// A short message, in one line.
    var headline: String {
        switch code {
        case .keyringLocked: "The keyring is locked"
        case .keyringUnavailable: "No keyring answers"
        case .timedOut, .outcomeUnknown, .conflict: "The keyring did not answer in time"
        case .promptDismissed: "The keyring stays locked"
        default: message
        }
    }
}

extension User {
    /// The displayed name of the user.
    var name: String { displayName ?? email ?? "Guest" }
}
