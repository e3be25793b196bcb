internal import FoundationEssentials

/// Decides by a clock which tokens are handed out as they are, and which are refreshed first.
struct TokenRules: Sendable {
    /// An ID token that expires within this time is refreshed before it is handed out, as in Firebase.
    static let margin: TimeInterval = 5 * 60
    /// The same for an access token, some of which last five minutes in all.
    static let accessTokenMargin: TimeInterval = 60
    /// How long a token has to last that is handed out while another process refreshes: so that it outlasts the wait and its way to a server.
    static let usableTime: TimeInterval = 15

    let now: @Sendable () -> Date

    /// Whether the token that is wanted is handed out as it is: the ID token lasts five minutes more, or half of its life where that
    /// is shorter; the access token for these scopes lasts one. What cannot be refreshed is handed out until it expires.
    func isValid(_ tokens: UserTokens, for scopes: Set<String>? = nil, atLeast: TimeInterval? = nil) -> Bool {
        let expirationDate = scopes.map { tokens.accessToken(for: $0)?.expirationDate } ?? tokens.expirationDate
        // Half the life of one that lasts minutes only: else it would be refreshed at every use.
        let issueDate = tokens.issueDate ?? .distantPast
        let half = max((expirationDate ?? .distantFuture).timeIntervalSince(issueDate) / 2, 0)
        let usual = scopes == nil ? min(Self.margin, half) : Self.accessTokenMargin
        let margin = tokens.refreshToken == nil ? 0 : atLeast ?? usual
        return expirationDate.map { $0.timeIntervalSince(now()) > margin } ?? false
    }

    /// Returns the error of a refresh of tokens that cannot be refreshed: `userTokenExpired`, which ends the session, once they have
    /// expired; nil for those that can.
    func refusal(toRefresh tokens: UserTokens, of uid: String) -> AuthError? {
        if tokens.refreshToken != nil { return nil }
        if isValid(tokens) {
            return AuthError(
                .operationNotAllowed,
                "The session of \(uid) has no refresh token, so no new tokens can be had for it.",
                remedy: "Use the tokens that it has until they expire, or sign in again."
            )
        }
        return AuthError(
            .userTokenExpired,
            "The session of \(uid) has expired, and has no refresh token. Sign in again."
        )
    }
}
