package import FoundationEssentials

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

    /// Returns whether the requested token can be used as it is. An ID token must last five more minutes, an access
    /// token for these scopes one more minute; both half of their lifetime, if that is shorter. Tokens that cannot be
    /// refreshed are used until they expire.
    func isValid(_ tokens: UserTokens, for scopes: Set<String>? = nil, atLeast: TimeInterval? = nil) -> Bool {
        if scopes == nil, tokens.isIncomplete { return false }
        guard let left = timeLeft(of: tokens, for: scopes) else { return false }
        // Half the lifetime of a short-lived token: otherwise every use would refresh it.
        let access = scopes.flatMap { tokens.accessToken(for: $0) }
        let issueDate = access?.issueDate ?? tokens.issueDate ?? .distantPast
        let half = max((access?.expirationDate ?? tokens.expirationDate).timeIntervalSince(issueDate) / 2, 0)
        let usual = min(scopes == nil ? Self.margin : Self.accessTokenMargin, half)
        let margin = tokens.refreshToken == nil ? 0 : atLeast ?? usual
        return left > margin
    }

    /// Returns whether none of the tokens can be used any longer, not even until a refresh.
    func haveExpired(_ tokens: UserTokens) -> Bool {
        let times = [timeLeft(of: tokens)] + tokens.accessTokens.map { timeLeft(of: tokens, $0) }
        return times.allSatisfy { ($0 ?? 0) <= 0 }
    }

    /// The time after their issue for which tokens count as valid although they say themselves that they have expired.
    /// If this machine's clock is ahead of the issuer's, a refresh changes nothing about that.
    private static let trustedTime: TimeInterval = 60

    /// Returns the time until the requested token expires, by its stored dates and by its own; nil if there is none.
    ///
    /// Tokens that can be refreshed have no time left if they are from the future. The token's own date counts as well,
    /// because the clock may have been set right since the token came.
    func timeLeft(of tokens: UserTokens, for scopes: Set<String>? = nil) -> TimeInterval? {
        let access = scopes.flatMap { tokens.accessToken(for: $0) }
        return scopes != nil && access == nil ? nil : timeLeft(of: tokens, access)
    }

    private func timeLeft(of tokens: UserTokens, _ access: AccessToken?) -> TimeInterval {
        let now = now()
        let end = access?.expirationDate ?? tokens.expirationDate
        let left = end.timeIntervalSince(now)
        // That a token never expires was said by no clock.
        if tokens.refreshToken != nil, tokens.isFromFuture(at: now), end != .distantFuture { return min(left, 0) }
        if let issueDate = tokens.issueDate, abs(now.timeIntervalSince(issueDate)) <= Self.trustedTime { return left }
        let own = (access?.token ?? tokens.idToken).flatMap { CompactJWS($0)?.claims?["exp"]?.number }
        return min(left, own.map { $0 - now.timeIntervalSince1970 } ?? left)
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

extension Date {
    /// The time by which the clocks that write and read a date may differ.
    private static let tolerance: TimeInterval = 60

    /// Returns whether the date lies so far in the future that the clock that wrote it, as the time at which something
    /// happened, was ahead. The time at which it happened is unknown then.
    package func isFromFuture(at now: Date) -> Bool { timeIntervalSince(now) > Self.tolerance }
}

extension UserTokens {
    /// Returns whether this machine's clock was ahead when the tokens came. The date at which they expire is unknown
    /// then.
    package func isFromFuture(at now: Date) -> Bool { issueDate?.isFromFuture(at: now) ?? false }
}
