internal import SharedAuth
internal import SharedAuthHTTP

/// A server's refusal of an access token (RFC 6750 §3.1, RFC 7662 §2.2), and what it says about the session.
enum AccessTokenRefusal: Sendable, Hashable {
    /// The server says that the token is no longer valid.
    case dead
    /// The server refuses the token without saying why (status 401).
    case unexplained
    /// The token is not good for this request (status 403, or another word).
    case other(ServerRefusal?)
    /// The app has asked too often: some servers say it with status 403.
    case tooMany

    /// The words of RFC 6750, which count with a status of success, too.
    private static let words: Set<String> = ["invalid_token", "insufficient_scope"]

    /// Reads an answer; nil if it is no refusal by the server itself.
    init?(_ response: HTTPResponse) {
        let challenge = response.headers["WWW-Authenticate"] ?? ""
        let word = Self.word(challenge) ?? response.members?.string("error")
        switch response.status {
        case 200..<300:
            // Any other such member belongs to the page.
            guard let word, Self.words.contains(word) else { return nil }
        case 400:
            guard word == "invalid_token" else { return nil }
        case 401, 403:
            // A page of an intermediary says nothing about the token.
            if word == nil, response.isWebPage, !challenge.lowercased().hasPrefix("bearer") { return nil }
        default: return nil
        }
        if word == "invalid_token" {
            self = .dead
        } else if response.status == 401 {
            self = .unexplained
        } else if word == nil, response.isOverLimit {
            self = .tooMany
        } else {
            self = .other(word.map { ServerRefusal($0) })
        }
    }

    /// Returns the `error` parameter of a challenge, which may be without quotation marks.
    private static func word(_ challenge: String) -> String? {
        var rest = challenge[...]
        while let mark = rest.firstRange(of: "error=") {
            let isWhole = rest[..<mark.lowerBound].last.map { " ,\t".contains($0) } ?? true
            rest = rest[mark.upperBound...]
            if isWhole { return String(rest.trimmingPrefix("\"").prefix { !"\", \t".contains($0) }) }
        }
        return nil
    }

    /// Returns the error for the app after the app's own call has failed.
    ///
    /// That the access token is dead ends only a session without a refresh token.
    static func ofCall(_ error: AuthError, in tokens: UserTokens?) -> AuthError {
        guard error.code.endsSession, tokens?.refreshToken != nil else { return error }
        return AccessTokenRefusal.dead.error(in: tokens)
    }

    /// Returns the error for the app.
    ///
    /// A session without a refresh token ends with its access token. It ends only if the server says so; otherwise the
    /// user stays and is asked to sign in again.
    ///
    /// - Parameter tokens: The tokens of the session; nil at a sign-in.
    func error(in tokens: UserTokens?) -> AuthError {
        switch (self, tokens) {
        case (.dead, let tokens?) where tokens.refreshToken == nil:
            AuthError(
                .userTokenExpired,
                "The identity provider no longer accepts the access token (invalid_token), and the session has no "
                    + "refresh token. Sign in again."
            )
        case (.unexplained, let tokens?) where tokens.refreshToken == nil:
            AuthError(
                .requiresRecentLogin,
                "The identity provider refuses the access token (status 401), and the session has no refresh token.",
                remedy: "Sign in again. Until then the user stays signed in."
            )
        case (.tooMany, _):
            AuthError(
                .tooManyRequests,
                "Too many requests to the identity provider (status 403).",
                remedy: "Try again later."
            )
        case (.other(let refusal), _):
            AuthError(
                .invalidCredential,
                "The identity provider refuses the access token for the user's profile"
                    + "\(refusal.map { " (\($0.quoted))" } ?? "").",
                remedy: "Request a scope that allows to read the profile."
            )
        case (_, nil):
            AuthError(
                .invalidCredential,
                "The identity provider does not accept the access token of this sign-in. Sign in again."
            )
        case (_, _?):
            AuthError(
                .invalidCredential,
                "The identity provider refuses the access token for the user's profile. The session is kept; refresh "
                    + "it."
            )
        }
    }
}

extension HTTPResponse {
    /// Indicates whether the server says that the app is to wait, as GitHub does.
    fileprivate var isOverLimit: Bool { headers["X-RateLimit-Remaining"] == "0" || headers["Retry-After"] != nil }
}
