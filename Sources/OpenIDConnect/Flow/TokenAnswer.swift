internal import FoundationEssentials
internal import SharedAuth
internal import SharedAuthHTTP

/// The answer of a token endpoint (RFC 6749 §5.1).
struct TokenAnswer: Sendable {
    let accessToken: String?
    let idToken: String?
    let refreshToken: String?
    /// The number of seconds that the access token lasts; nil if the server does not say.
    let lifetime: Double?
    /// The scopes that were granted; nil means those that were asked for.
    let scopes: Set<String>?

    /// Reads an answer; nil if it is not one. An error is looked for before, whatever the status of the answer was.
    ///
    /// - Throws: `operationNotAllowed` for tokens that are not bearer tokens.
    init?(_ object: JSONObject) throws(AuthError) {
        accessToken = object.string("access_token")
        idToken = object.string("id_token")
        refreshToken = object.string("refresh_token")
        lifetime = object.seconds("expires_in")
        scopes = object.string("scope").map(Self.scopes)
        guard accessToken != nil || idToken != nil else { return nil }
        if let type = object.string("token_type"), type.lowercased() != "bearer" {
            throw AuthError(
                .operationNotAllowed,
                "The identity provider gives access tokens that are bound to a key, which SharedAuth does not support. "
                    + "Register the client for bearer tokens."
            )
        }
    }

    /// The access token, as it is stored.
    ///
    /// - Parameters:
    ///   - asked: the scopes that were asked for.
    ///   - now: when the answer came.
    ///   - otherwise: the time that it lasts if the server does not say; nil means without end.
    func access(asked: some Sequence<String>, now: Date, otherwise: Double?) -> AccessToken? {
        guard let accessToken else { return nil }
        let seconds = lifetime ?? otherwise
        return AccessToken(
            token: accessToken,
            scopes: scopes ?? Set(asked),
            expirationDate: seconds.map { now.addingTimeInterval($0) } ?? .distantFuture
        )
    }

    /// Scopes are separated by spaces; by commas at GitHub.
    private static func scopes(_ text: String) -> Set<String> {
        Set(text.split { $0 == " " || $0 == "," }.map(String.init))
    }
}
