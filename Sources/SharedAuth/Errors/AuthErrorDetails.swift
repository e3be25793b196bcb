/// What an error carries for the app to go on with; printed, it shows the kind alone. The set can grow.
public enum AuthErrorDetails: Sendable {
    /// The credential that was refused, and the address of the account that it is about: with `credentialAlreadyInUse`,
    /// `accountExistsWithDifferentCredential` and `emailAlreadyInUse`. The app may sign in with it.
    case credential(email: String?, OAuthCredential?)
    /// Why a password is refused, as sentences for people: with `weakPassword`.
    case reasons([String])
}

extension AuthErrorDetails: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The kind alone.
    public var description: String {
        switch self {
        case .credential: "credential"
        case .reasons: "reasons"
        }
    }
    /// The kind alone.
    public var debugDescription: String { description }
    /// Nothing: the content is personal or secret.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}
