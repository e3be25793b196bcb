internal import SharedAuth

extension AuthState {
    /// The name of the state, as `--json` prints it.
    var name: String {
        switch self {
        case .unknown: "unknown"
        case .signedIn: "signed-in"
        case .signedOut: "signed-out"
        case .locked: "locked"
        case .unavailable: "unavailable"
        case .damaged: "damaged"
        }
    }

    /// Why it is neither known that somebody is signed in nor that nobody is.
    func failure(in group: String?) -> AuthError? {
        switch self {
        case .signedIn, .signedOut:
            return nil
        case .unavailable(let error), .damaged(let error):
            return error
        case .locked:
            let slot = group.map { "Access group \($0)" } ?? "The app's own slot"
            return AuthError(.keyringLocked, "\(slot): The keyring is locked. Unlock it, and try again.")
        case .unknown:
            return AuthError(.timedOut, "The keyring did not answer in time. Try again.")
        }
    }
}
