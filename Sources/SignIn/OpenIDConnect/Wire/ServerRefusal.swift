internal import SharedAuth

/// A server's refusal: the `error` code of RFC 6749 and related standards. Its description is not passed on, as it may
/// be personal.
struct ServerRefusal: Sendable, Hashable {
    /// The request that was refused.
    enum Request: Sendable {
        case authorization
        case codeExchange
        case refresh
        case deviceCode
        case revocation
    }

    let word: String

    init(_ word: String) { self.word = word }

    /// The code in a form that a message may quote.
    var quoted: String {
        let isPlain = !word.isEmpty && word.utf8.count <= 64 && word.utf8.allSatisfy(Self.isPlain)
        return isPlain ? word : "an error without a name"
    }

    /// Returns the error for the app. Only `invalid_grant` for a refresh token ends the session.
    func error(of request: Request) -> AuthError {
        switch (word, request) {
        case ("invalid_grant", .refresh):
            AuthError(
                .userTokenExpired,
                "The identity provider no longer accepts the refresh token (invalid_grant): the session was ended, or "
                    + "the token was used before. Sign in again."
            )
        case ("invalid_grant", _):
            AuthError(
                .invalidCredential,
                "The identity provider does not accept the code of this sign-in (invalid_grant). Sign in again."
            )
        case ("access_denied", _):
            AuthError(.webContextCancelled, "The sign-in was declined (access_denied).")
        case ("invalid_client", _), ("unauthorized_client", _):
            AuthError(
                .invalidClientID,
                "The identity provider does not accept this client (\(word)).",
                remedy: "Check the client ID, the client secret and the client's registration."
            )
        case ("invalid_scope", _):
            AuthError(
                .operationNotAllowed,
                "The identity provider does not grant these scopes (\(word)). Request others."
            )
        case (let word, _) where word.hasPrefix("unsupported_"):
            AuthError(.operationNotAllowed, "The identity provider does not offer this (\(quoted)).")
        case ("interaction_required", _), ("login_required", _), ("consent_required", _),
            ("account_selection_required", _):
            AuthError(
                .requiresRecentLogin,
                "The identity provider needs to prompt the user (\(word)). Sign in again without prompt=none."
            )
        case ("expired_token", _):
            AuthError(.timedOut, "The code expired before it was entered. Start the sign-in again.")
        case ("slow_down", _):
            AuthError(.tooManyRequests, "Too many requests to the identity provider (slow_down). Try again later.")
        case ("invalid_code", .codeExchange):
            AuthError(.invalidCredential, "The identity provider does not accept the code of this sign-in (\(word)).")
        case ("server_error", .codeExchange), ("server_error", .deviceCode):
            AuthError(
                .webInternalError,
                "The identity provider failed to issue tokens (server_error).",
                remedy: "Try again. If the error persists, have the provider's administrator look in its log. Some "
                    + "providers fail so if ID tokens of a client without a secret are to be signed with a shared "
                    + "secret (HS256, HS512): set RS256 or ES256."
            )
        default:
            AuthError(.webInternalError, "The identity provider returned \(quoted). Try again later.")
        }
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) || byte == UInt8(ascii: "_")
            || byte == UInt8(ascii: "-")
    }
}

extension AuthError {
    /// Data that does not follow OpenID Connect.
    static func malformed(_ what: String, underlying: (any Error)? = nil) -> AuthError {
        AuthError(
            .webInternalError,
            "The identity provider sent malformed data: \(what).",
            remedy: "Try again. If the error persists, contact the provider.",
            underlying: underlying
        )
    }

    /// The issuer URL of the app's client is malformed.
    static var malformedIssuer: AuthError {
        AuthError(
            .webInternalError,
            "The issuer URL of the client is malformed.",
            remedy: "Use the URL that the provider names as its issuer."
        )
    }
}
