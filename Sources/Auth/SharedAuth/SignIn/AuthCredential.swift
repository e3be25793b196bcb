/// What a user signs in with (Firebase: `AuthCredential`); made by `EmailAuthProvider` and its like. Printed, it shows the kind alone.
///
/// What another service issued is an ``OAuthCredential``.
public class AuthCredential: @unchecked Sendable {
    /// The parts of the credential. There may be more cases later: give `operationNotAllowed` for those that you do not know.
    public enum Content: Sendable {
        /// An e-mail address and a password.
        case password(email: String, password: String)
        /// A token that the app's own server made.
        case customToken(String)
        /// What another service issued.
        case oauth(OAuthCredential)
        /// An e-mail address, and the link of a mail that was sent there.
        case emailLink(email: String, link: String)
    }

    /// The kind of credential, e.g. `password` (Firebase: `provider`).
    public let provider: String
    private let given: Content

    /// What the identity provider checks.
    public var content: Content { given }

    /// Makes a credential.
    public init(provider: String, content: Content) {
        self.provider = provider
        given = content
    }

    /// The kind alone.
    public var description: String { "\(type(of: self))(\(provider))" }
    /// Nothing: the content is secret.
    public var customMirror: Mirror { Mirror(self, children: [:], ancestorRepresentation: .suppressed) }
}

extension AuthCredential: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The kind alone.
    public var debugDescription: String { description }
}

extension AuthCredential.Content: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The kind alone.
    public var description: String {
        switch self {
        case .password: "password"
        case .customToken: "customToken"
        case .oauth: "oauth"
        case .emailLink: "emailLink"
        }
    }
    /// The kind alone.
    public var debugDescription: String { description }
    /// Nothing: the content is secret.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}

/// Makes credentials of an e-mail address, and a password or a link (Firebase: `EmailAuthProvider`).
public enum EmailAuthProvider {
    /// The kind of credential.
    public static let id = "password"

    /// Makes a credential.
    public static func credential(withEmail email: String, password: String) -> AuthCredential {
        AuthCredential(provider: id, content: .password(email: email, password: password))
    }

    /// Makes a credential of the link of a mail, and the address that it was sent to.
    public static func credential(withEmail email: String, link: String) -> AuthCredential {
        AuthCredential(provider: id, content: .emailLink(email: email, link: link))
    }
}
