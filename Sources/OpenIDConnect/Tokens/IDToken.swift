internal import SharedAuth
internal import SharedAuthHTTP

/// An ID token, taken apart; nothing of it has been checked.
struct IDToken: Sendable {
    let text: String
    let algorithm: String?
    let keyID: String?
    /// Whether it must be refused by a reader that does not know some extension (RFC 7515 §4.1.11).
    let hasCriticalExtensions: Bool
    let claims: JSONObject
    /// The type in the header, such as `JWT` or `at+jwt`.
    private let type: String?

    /// Takes a token apart.
    ///
    /// - Throws: `malformedJWT` if it is not a JSON Web Token.
    init(_ text: String) throws(AuthError) {
        guard let token = JSONWebToken(text), let header = token.header.map(JSONObject.init(members:)) else {
            throw AuthError(
                .malformedJWT,
                "The ID token of the identity provider is not a readable JSON Web Token. Nobody was signed in."
            )
        }
        self.text = text
        algorithm = header.string("alg")
        keyID = header.string("kid")
        type = header.string("typ")
        hasCriticalExtensions = header.members["crit"] != nil
        claims = JSONObject(members: token.claims)
    }

    /// Whether it says that it is something else (RFC 8725 §3.11), such as an access token or a logout token, which has the
    /// audience of an ID token and no nonce.
    var isOfAnotherKind: Bool {
        type?.lowercased().hasSuffix("+jwt") == true || claims.members["events"] != nil
    }

    var subject: String? { claims.string("sub") }

    /// The audiences: one, or several.
    var audience: [String] { claims.string("aud").map { [$0] } ?? claims.strings("aud") ?? [] }

    /// The number of seconds that it lasts, by its issuer's clock.
    var lifetime: Double? { claims.lifetime }
}
