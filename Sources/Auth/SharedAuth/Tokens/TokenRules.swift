internal import FoundationEssentials

/// Decides, by a clock, which tokens can be used as they are and which are refreshed first.
struct TokenRules: Sendable {
    /// The time before expiry in which an ID token is refreshed before use, as in Firebase.
    static let margin: TimeInterval = 5 * 60
    /// The same for an access token. Some of them last only five minutes.
    static let accessTokenMargin: TimeInterval = 60
    /// The minimum remaining time of a token that is returned while another process refreshes, so that it outlasts the
    /// wait and its way to a server.
    static let usableTime: TimeInterval = 15

    let now: @Sendable () -> Date

    /// Returns whether the requested token can be used as it is. An ID token must last five more minutes, or half of
    /// its lifetime if that is shorter; an access token for these scopes must last one more minute. Tokens that cannot
    /// be refreshed are used until they expire.
    func isValid(_ tokens: UserTokens, for scopes: Set<String>? = nil, atLeast: TimeInterval? = nil) -> Bool {
        if scopes == nil, tokens.isIncomplete { return false }
        let expirationDate = scopes.map { tokens.accessToken(for: $0)?.expirationDate } ?? tokens.expirationDate
        // Half the lifetime of a short-lived token: otherwise every use would refresh it.
        let issueDate = tokens.issueDate ?? .distantPast
        let half = max((expirationDate ?? .distantFuture).timeIntervalSince(issueDate) / 2, 0)
        let usual = scopes == nil ? min(Self.margin, half) : Self.accessTokenMargin
        let margin = tokens.refreshToken == nil ? 0 : atLeast ?? usual
        return expirationDate.map { $0.timeIntervalSince(now()) > margin } ?? false
    }

    /// Returns the error of refreshing tokens that cannot be refreshed: `userTokenExpired`, which ends the session, if
    /// they have expired. Returns nil for tokens that can be refreshed.
    func refusal(toRefresh tokens: UserTokens, of uid: String) -> AuthError? {
        if tokens.refreshToken != nil { return nil }
        if isValid(tokens) {
            return AuthError(
                .operationNotAllowed,
                "The session of \(uid) has no refresh token and cannot be refreshed.",
                remedy: "Use its tokens until they expire, or sign in again."
            )
        }
        return AuthError(
            .userTokenExpired,
            "The session of \(uid) has expired and has no refresh token. Sign in again."
        )
    }
}
