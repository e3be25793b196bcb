internal import SharedAuth
internal import SharedAuthHTTP

/// A parsed ID token. Nothing in it has been verified.
struct IDToken: Sendable {
    let signed: CompactJWS
    let claims: JSONObject

    /// Parses a token.
    ///
    /// - Throws: `malformedJWT` if it is not a JSON Web Token.
    init(_ text: String) throws(AuthError) {
        guard let token = CompactJWS(text), let claims = token.claims else {
            throw AuthError(
                .malformedJWT,
                "The ID token of the identity provider is not a readable JSON Web Token. No user was signed in."
            )
        }
        signed = token
        self.claims = JSONObject(members: claims)
    }

    /// True if the token declares another type (RFC 8725 §3.11), such as an access token or a logout token, which has
    /// an ID token's audience but no nonce.
    var isOfAnotherKind: Bool {
        signed.type?.lowercased().hasSuffix("+jwt") == true || claims.members["events"] != nil
    }

    var subject: String? { claims.string("sub") }

    /// The audiences, one or more.
    var audience: [String] { claims.string("aud").map { [$0] } ?? claims.strings("aud") ?? [] }

    /// The token's lifetime in seconds, by its issuer's clock.
    var lifetime: Double? { claims.lifetime }
}
