internal import SharedAuth
internal import SharedAuthHTTP

/// A parsed ID token. Nothing in it has been verified.
struct IDToken: Sendable {
    let text: String
    let algorithm: String?
    let keyID: String?
    /// True if the token uses extensions that a reader must understand to accept it (RFC 7515 §4.1.11).
    let hasCriticalExtensions: Bool
    let claims: JSONObject
    /// The type in the header, such as `JWT` or `at+jwt`.
    private let type: String?

    /// Parses a token.
    ///
    /// - Throws: `malformedJWT` if it is not a JSON Web Token.
    init(_ text: String) throws(AuthError) {
        guard let token = JSONWebToken(text), let header = token.header.map(JSONObject.init(members:)) else {
            throw AuthError(
                .malformedJWT,
                "The ID token of the identity provider is not a readable JSON Web Token. No user was signed in."
            )
        }
        self.text = text
        algorithm = header.string("alg")
        keyID = header.string("kid")
        type = header.string("typ")
        hasCriticalExtensions = header.members["crit"] != nil
        claims = JSONObject(members: token.claims)
    }

    /// True if the token declares another type (RFC 8725 §3.11), such as an access token or a logout token, which has
    /// an ID token's audience but no nonce.
    var isOfAnotherKind: Bool {
        type?.lowercased().hasSuffix("+jwt") == true || claims.members["events"] != nil
    }

    var subject: String? { claims.string("sub") }

    /// The audiences, one or more.
    var audience: [String] { claims.string("aud").map { [$0] } ?? claims.strings("aud") ?? [] }

    /// The token's lifetime in seconds, by its issuer's clock.
    var lifetime: Double? { claims.lifetime }
}
