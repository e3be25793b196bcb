internal import FoundationEssentials
public import SharedAuth

/// The services at which a user can sign in (Firebase: `AuthProviderID`).
@frozen
public enum AuthProviderID: Sendable, Hashable {
    /// Apple.
    case apple
    /// An e-mail address.
    case email
    /// Facebook.
    case facebook
    /// GitHub.
    case gitHub
    /// Google.
    case google
    /// Any other, such as `microsoft.com` or `oidc.company`.
    case custom(String)

    /// The id as servers write it.
    public var rawValue: String {
        switch self {
        case .apple: "apple.com"
        case .email: EmailAuthProvider.id
        case .facebook: FacebookAuthProvider.id
        case .gitHub: GitHubAuthProvider.id
        case .google: GoogleAuthProvider.id
        case .custom(let id): id
        }
    }
}

extension OAuthProvider {
    /// Makes a credential of an ID token.
    ///
    /// - Parameters:
    ///   - providerID: the service that issued it.
    ///   - idToken: the ID token. If it has a nonce, that is the SHA-256 of the raw one, in hexadecimal digits.
    ///   - rawNonce: the raw nonce.
    ///   - accessToken: the access token, if there is one.
    public static func credential(
        providerID: AuthProviderID,
        idToken: String,
        rawNonce: String? = nil,
        accessToken: String? = nil
    ) -> AuthCredential {
        credential(
            OAuthCredential(
                providerID: providerID.rawValue,
                idToken: idToken,
                rawNonce: rawNonce,
                accessToken: accessToken.map { AccessToken($0) }
            )
        )
    }

    /// Makes a credential of an access token alone, for services without ID tokens.
    public static func credential(providerID: AuthProviderID, accessToken: String) -> AuthCredential {
        credential(OAuthCredential(providerID: providerID.rawValue, accessToken: AccessToken(accessToken)))
    }
}

/// Makes credentials of what Google issued (Firebase: `GoogleAuthProvider`).
public enum GoogleAuthProvider {
    /// The kind of credential.
    public static let id = "google.com"

    /// Makes a credential.
    public static func credential(withIDToken idToken: String, accessToken: String) -> AuthCredential {
        OAuthProvider.credential(providerID: .google, idToken: idToken, accessToken: accessToken)
    }
}

/// Makes credentials of what GitHub issued (Firebase: `GitHubAuthProvider`).
public enum GitHubAuthProvider {
    /// The kind of credential.
    public static let id = "github.com"

    /// Makes a credential.
    public static func credential(withToken token: String) -> AuthCredential {
        OAuthProvider.credential(providerID: .gitHub, accessToken: token)
    }
}

/// Makes credentials of what Facebook issued (Firebase: `FacebookAuthProvider`).
public enum FacebookAuthProvider {
    /// The kind of credential.
    public static let id = "facebook.com"

    /// Makes a credential.
    public static func credential(withAccessToken accessToken: String) -> AuthCredential {
        OAuthProvider.credential(providerID: .facebook, accessToken: accessToken)
    }
}

/// Makes credentials of what Twitter issued (Firebase: `TwitterAuthProvider`).
public enum TwitterAuthProvider {
    /// The kind of credential.
    public static let id = "twitter.com"

    /// Makes a credential.
    public static func credential(withToken token: String, secret: String) -> AuthCredential {
        OAuthProvider.credential(OAuthCredential(providerID: id, accessToken: AccessToken(token), secret: secret))
    }
}

extension AccessToken {
    /// One whose expiry is nobody's business here: it is passed on at once.
    fileprivate init(_ token: String) {
        self.init(token: token, expirationDate: .distantFuture)
    }
}
