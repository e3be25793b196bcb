public import FoundationEssentials

/// An ID token, and what it says (Firebase: `AuthTokenResult`); printed, it shows the expiry alone.
///
/// The token's signature is not checked here; back ends must check it.
public struct AuthTokenResult: Sendable {
    /// The ID token.
    public let token: String
    /// When it expires.
    public let expirationDate: Date
    /// When the user signed in.
    public let authDate: Date
    /// When it was issued.
    public let issuedAtDate: Date
    /// How the user signed in, e.g. `password` or `anonymous`.
    public let signInProvider: String
    /// Everything the token claims.
    public let claims: [String: JSONValue]
}

extension AuthTokenResult: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The expiry alone.
    public var description: String { "AuthTokenResult(expires \(expirationDate.timeIntervalSince1970))" }
    /// The expiry alone.
    public var debugDescription: String { description }
    /// Nothing: tokens are secret.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}

extension AuthTokenResult {
    /// Reads the claims of an ID token.
    init(idToken: String) throws(AuthError) {
        let parts = idToken.split(separator: ".", omittingEmptySubsequences: false)
        guard
            parts.count == 3,
            let payload = Base64URL.decode(parts[1].utf8),
            let claims = try? JSONDecoder().decode([String: JSONValue].self, from: Data(payload)),
            let expires = claims["exp"]?.number,
            let issued = claims["iat"]?.number
        else {
            throw AuthError(.malformedJWT, "The user's ID token is not a readable JSON Web Token. Sign in again.")
        }
        token = idToken
        expirationDate = Date(timeIntervalSince1970: expires)
        issuedAtDate = Date(timeIntervalSince1970: issued)
        authDate = Date(timeIntervalSince1970: claims["auth_time"]?.number ?? issued)
        signInProvider = claims["firebase"]?["sign_in_provider"]?.string ?? ""
        self.claims = claims
    }
}
