internal import FoundationEssentials
public import SharedAuth

/// The services that a user can sign in with (Firebase: `AuthProviderID`).
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
    /// Any other service, such as `microsoft.com` or `oidc.company`.
    case custom(String)

    /// The provider ID that servers use.
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
    /// Creates a credential from an ID token.
    ///
    /// - Parameters:
    ///   - providerID: The service that issued the token.
    ///   - idToken: The ID token. If it has a nonce, the nonce is the SHA-256 of `rawNonce`, in hexadecimal digits.
    ///   - rawNonce: The nonce before hashing.
    ///   - accessToken: The access token, if there is one.
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

    /// Creates a credential from an access token alone, for services without ID tokens.
    public static func credential(providerID: AuthProviderID, accessToken: String) -> AuthCredential {
        credential(OAuthCredential(providerID: providerID.rawValue, accessToken: AccessToken(accessToken)))
    }
}

/// Creates credentials from Google's tokens (Firebase: `GoogleAuthProvider`).
public enum GoogleAuthProvider {
    /// The provider ID.
    public static let id = "google.com"

    /// Creates a credential from an ID token and an access token.
    public static func credential(withIDToken idToken: String, accessToken: String) -> AuthCredential {
        OAuthProvider.credential(providerID: .google, idToken: idToken, accessToken: accessToken)
    }
}

/// Creates credentials from GitHub's tokens (Firebase: `GitHubAuthProvider`).
public enum GitHubAuthProvider {
    /// The provider ID.
    public static let id = "github.com"

    /// Creates a credential from an access token.
    public static func credential(withToken token: String) -> AuthCredential {
        OAuthProvider.credential(providerID: .gitHub, accessToken: token)
    }
}

/// Creates credentials from Facebook's tokens (Firebase: `FacebookAuthProvider`).
public enum FacebookAuthProvider {
    /// The provider ID.
    public static let id = "facebook.com"

    /// Creates a credential from an access token.
    public static func credential(withAccessToken accessToken: String) -> AuthCredential {
        OAuthProvider.credential(providerID: .facebook, accessToken: accessToken)
    }
}

/// Creates credentials from Twitter's tokens (Firebase: `TwitterAuthProvider`).
public enum TwitterAuthProvider {
    /// The provider ID.
    public static let id = "twitter.com"

    /// Creates a credential from an access token and its secret.
    public static func credential(withToken token: String, secret: String) -> AuthCredential {
        OAuthProvider.credential(OAuthCredential(providerID: id, accessToken: AccessToken(token), secret: secret))
    }
}

extension AccessToken {
    /// Wraps a token that is sent to Firebase immediately, so its expiry does not matter here.
    fileprivate init(_ token: String) {
        self.init(token: token, expirationDate: .distantFuture)
    }
}
