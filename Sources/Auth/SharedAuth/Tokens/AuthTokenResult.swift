public import DesktopSupport
public import FoundationEssentials

/// An ID token and its claims (Firebase: `AuthTokenResult`). The description shows the expiry alone.
///
/// The signature of the token is not checked here; back ends must check it.
public struct AuthTokenResult: Sendable {
    /// The ID token.
    public let token: String
    /// The date at which the token expires.
    public let expirationDate: Date
    /// The date at which the user signed in.
    public let authDate: Date
    /// The date at which the token was issued.
    public let issuedAtDate: Date
    /// The method with which the user signed in, e.g. `password` or `anonymous`.
    public let signInProvider: String
    /// The kind of second factor with which the user signed in, e.g. `totp`; empty if the user signed in without one.
    public let signInSecondFactor: String
    /// All claims of the token, as JSON.
    public let jsonClaims: [String: JSONValue]

    /// All claims of the token in Swift's own types: `claims["admin"] as? Bool`. See ``JSONValue/plain``.
    public var claims: [String: any Sendable] { jsonClaims.mapValues(\.plain) }
}

extension AuthTokenResult: Redacted {
    /// The expiry alone.
    public var description: String { "AuthTokenResult(expires \(expirationDate.timeIntervalSince1970))" }
}

extension AuthTokenResult {
    /// Reads the claims of an ID token.
    ///
    /// - Throws: `malformedJWT` if it is not a JSON Web Token, or lacks the issue date or the expiry date.
    init(idToken: String) throws(AuthError) {
        guard
            let claims = CompactJWS(idToken)?.claims,
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
        signInSecondFactor = claims["firebase"]?["sign_in_second_factor"]?.string ?? ""
        jsonClaims = claims
    }
}
