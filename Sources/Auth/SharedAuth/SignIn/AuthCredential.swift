public import DesktopSupport

/// A credential to sign in with (Firebase: `AuthCredential`).
///
/// ``EmailAuthProvider`` and similar types create credentials; a credential that another service issued is an
/// ``OAuthCredential``. Printing a credential shows only its kind.
public class AuthCredential: @unchecked Sendable {
    /// The content of a credential. Later versions may add cases: an identity provider throws `operationNotAllowed` for
    /// cases that it does not know.
    public enum Content: Sendable {
        /// An e-mail address and a password.
        case password(email: String, password: String)
        /// A token that the app's server created.
        case customToken(String)
        /// A credential that another service issued.
        case oauth(OAuthCredential)
        /// An e-mail address, and a link that was sent there.
        case emailLink(email: String, link: String)
    }

    /// The kind of credential, e.g. `password` (Firebase: `provider`).
    public let provider: String
    private let given: Content

    /// The content, which the identity provider checks.
    public var content: Content { given }

    /// Creates a credential.
    ///
    /// - Parameters:
    ///   - provider: The kind of credential, e.g. `password`.
    ///   - content: The content, which the identity provider checks.
    public init(provider: String, content: Content) {
        self.provider = provider
        given = content
    }

    /// Only the kind.
    public var description: String { "\(type(of: self))(\(provider))" }
    /// Empty: the content is secret.
    public var customMirror: Mirror { Mirror(self, children: [:], ancestorRepresentation: .suppressed) }
}

extension AuthCredential: Redacted {}

extension AuthCredential.Content: Redacted {
    /// Only the kind.
    public var description: String {
        switch self {
        case .password: "password"
        case .customToken: "customToken"
        case .oauth: "oauth"
        case .emailLink: "emailLink"
        }
    }
}

/// Creates credentials from an e-mail address and a password or a link (Firebase: `EmailAuthProvider`).
public enum EmailAuthProvider {
    /// The kind of credential.
    public static let id = "password"

    /// Creates a credential from an e-mail address and a password.
    public static func credential(withEmail email: String, password: String) -> AuthCredential {
        AuthCredential(provider: id, content: .password(email: email, password: password))
    }

    /// Creates a credential from an e-mailed link and the address that it was sent to.
    public static func credential(withEmail email: String, link: String) -> AuthCredential {
        AuthCredential(provider: id, content: .emailLink(email: email, link: link))
    }
}
