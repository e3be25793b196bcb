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

    /// The most bytes of scopes, beyond which they are as if not named: a record has to hold them.
    private static let longestScope = 8192

    /// Reads a response; nil if it has no tokens. The caller has checked for an error before, whatever the HTTP status.
    init?(_ object: JSONObject) {
        accessToken = object.string("access_token")
        idToken = object.string("id_token")
        refreshToken = object.string("refresh_token")
        // A token without a lifetime would be of no use: such a number means that the server does not give it.
        lifetime = object.seconds("expires_in").flatMap { $0 > 0 ? $0 : nil }
        let scope = object.string("scope").flatMap { $0.utf8.count <= Self.longestScope ? $0 : nil }
        let scopes = scope.map(Self.scopes) ?? object.strings("scope").map(Set.init) ?? []
        self.scopes = scopes.isEmpty ? nil : scopes
        type = object.string("token_type")
        guard accessToken != nil || idToken != nil else { return nil }
    }

    /// Returns the refresh token in a response that may have no other tokens.
    static func refreshToken(in object: JSONObject) -> String? { object.string("refresh_token") }

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

    /// The scopes that ask for claims and tokens of OpenID Connect, and stand for no permission of an access token. Many
    /// servers grant them without naming them.
    private static let unnamedScopes: Set<String> = [
        "openid", "profile", "email", "address", "phone", "offline_access",
    ]

    /// Returns the access token to store. It can be found under the requested scopes as well if the server names those
    /// that it granted differently, but not if it granted fewer.
    ///
    /// - Parameters:
    ///   - asked: The requested scopes.
    ///   - now: The time when the response arrived.
    ///   - otherwise: The lifetime if neither the server nor the token gives one; nil means no expiration.
    func access(asked: some Sequence<String>, now: Date, otherwise: Double?) -> AccessToken? {
        guard let accessToken else { return nil }
        let (seconds, asked) = (lifetime ?? ownLifetime(of: accessToken, at: now) ?? otherwise, Set(asked))
        var token = AccessToken(
            token: accessToken,
            scopes: scopes ?? asked,
            expirationDate: seconds.map { now.addingTimeInterval($0) } ?? .distantFuture
        )
        let isNarrower =
            token.scopes.subtracting(Self.unnamedScopes).isSubset(of: asked)
            && !asked.isSubset(of: token.scopes.union(Self.unnamedScopes))
        if !asked.isEmpty, token.scopes != asked, !isNarrower { token.requestedScopes = asked }
        return token
    }

    /// Returns the lifetime that a token has by itself, if it can be read: in seconds, by the server's clock if the token
    /// has the time of its issue.
    private func ownLifetime(of token: String, at now: Date) -> Double? {
        guard let claims = CompactJWS(token)?.claims.map({ JSONObject(members: $0) }), let end = claims.moment("exp")
        else { return nil }
        let seconds = claims.lifetime ?? end - now.timeIntervalSince1970
        return seconds > 0 ? seconds : nil
    }

    /// Returns the access token of a refresh to store.
    ///
    /// - Parameters:
    ///   - tokens: The tokens before the refresh.
    ///   - scopes: The requested scopes; if empty, those granted at the sign-in.
    ///   - now: The time when the response arrived.
    ///   - otherwise: The lifetime if neither the server nor the token gives one; nil means no expiration.
    func access(
        refreshing tokens: UserTokens,
        for scopes: Set<String>,
        now: Date,
        otherwise: Double?
    ) -> AccessToken? {
        let granted = tokens.accessTokens.first
        var token = access(asked: scopes.isEmpty ? granted?.scopes ?? [] : scopes, now: now, otherwise: otherwise)
        if scopes.isEmpty, let requested = granted?.requestedScopes { token?.requestedScopes = requested }
        return token
    }

    /// Splits scopes at spaces, or at commas as GitHub separates them.
    private static func scopes(_ text: String) -> Set<String> {
        Set(text.split { $0 == " " || $0 == "," }.map(String.init))
    }
}
