internal import FoundationEssentials
public import SharedAuth

/// A service that a user can sign in with (Firebase: `AuthProviderID`).
public struct AuthProviderID: Sendable, Hashable {
    /// The provider ID that servers use.
    public let rawValue: String

    private init(_ rawValue: String) { self.rawValue = rawValue }

    /// Apple.
    public static let apple = AuthProviderID("apple.com")
    /// An e-mail address.
    public static let email = AuthProviderID(EmailAuthProvider.id)
    /// Facebook.
    public static let facebook = AuthProviderID(FacebookAuthProvider.id)
    /// Game Center: accounts may list it, but no sign-in with it is possible on Linux.
    public static let gameCenter = AuthProviderID(GameCenterAuthProviderID)
    /// GitHub.
    public static let gitHub = AuthProviderID(GitHubAuthProvider.id)
    /// Google.
    public static let google = AuthProviderID(GoogleAuthProvider.id)
    /// Microsoft.
    public static let microsoft = AuthProviderID("microsoft.com")
    /// A phone number: accounts may list it, but no sign-in with it is possible on Linux.
    public static let phone = AuthProviderID(PhoneAuthProviderID)
    /// Twitter.
    public static let twitter = AuthProviderID(TwitterAuthProvider.id)
    /// Yahoo.
    public static let yahoo = AuthProviderID("yahoo.com")

    /// Returns the ID of any other service, such as `oidc.company`.
    public static func custom(_ id: String) -> AuthProviderID { AuthProviderID(id) }
}

extension OAuthProvider {
    /// Creates a provider for a service.
    ///
    /// - Parameters:
    ///   - providerID: The service.
    ///   - auth: The `Auth` whose identity provider requests the sign-in.
    public convenience init(providerID: AuthProviderID, auth: Auth = Auth.auth()) {
        self.init(providerID: providerID.rawValue, auth: auth)
    }

    /// Returns a provider for a service.
    public static func provider(providerID: AuthProviderID) -> OAuthProvider { OAuthProvider(providerID: providerID) }

    /// Returns a provider for a service. The identity provider of `auth` requests the sign-in.
    public static func provider(providerID: AuthProviderID, auth: Auth) -> OAuthProvider {
        OAuthProvider(providerID: providerID, auth: auth)
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
    ) -> OAuthCredential {
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
    public static func credential(providerID: AuthProviderID, accessToken: String) -> OAuthCredential {
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
