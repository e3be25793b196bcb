internal import FoundationEssentials
internal import SharedAuth
internal import SharedAuthHTTP

/// The response of a token endpoint (RFC 6749 §5.1).
struct TokenAnswer: Sendable {
    let accessToken: String?
    let idToken: String?
    let refreshToken: String?
    /// The access token's lifetime in seconds; nil if the server does not give it.
    let lifetime: Double?
    /// The granted scopes; nil means the requested ones.
    let scopes: Set<String>?
    private let type: String?

    /// Reads a response; nil if it has no tokens. The caller has checked for an error before, whatever the HTTP status.
    init?(_ object: JSONObject) {
        accessToken = object.string("access_token")
        idToken = object.string("id_token")
        refreshToken = object.string("refresh_token")
        lifetime = object.seconds("expires_in")
        scopes = object.string("scope").map(Self.scopes)
        type = object.string("token_type")
        guard accessToken != nil || idToken != nil else { return nil }
    }

    /// Checks the type of the tokens.
    ///
    /// - Throws: `operationNotAllowed` if they are not bearer tokens.
    func checkType() throws(AuthError) {
        guard let type, type.lowercased() != "bearer" else { return }
        throw AuthError(
            .operationNotAllowed,
            "The identity provider gives access tokens that are bound to a key, which SharedAuth does not support. "
                + "Register the client for bearer tokens."
        )
    }

    /// Returns the access token to store.
    ///
    /// - Parameters:
    ///   - asked: The requested scopes.
    ///   - now: The time when the response arrived.
    ///   - otherwise: The lifetime if the server does not give one; nil means no expiration.
    func access(asked: some Sequence<String>, now: Date, otherwise: Double?) -> AccessToken? {
        guard let accessToken else { return nil }
        let seconds = lifetime ?? otherwise
        return AccessToken(
            token: accessToken,
            scopes: scopes ?? Set(asked),
            expirationDate: seconds.map { now.addingTimeInterval($0) } ?? .distantFuture
        )
    }

    /// Splits scopes at spaces, or at commas as GitHub separates them.
    private static func scopes(_ text: String) -> Set<String> {
        Set(text.split { $0 == " " || $0 == "," }.map(String.init))
    }
}
