internal import SharedAuth

/// A refusal of a server: the word `error` of RFC 6749 and its kin. Prose that it adds is not passed on, as it may be
/// personal.
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

    /// The word as a message may quote it.
    var quoted: String {
        let isPlain = !word.isEmpty && word.utf8.count <= 64 && word.utf8.allSatisfy(Self.isPlain)
        return isPlain ? word : "an error without a name"
    }

    /// The error for an app. Only one ends the session: `invalid_grant` for a refresh token.
    func error(of request: Request) -> AuthError {
        switch (word, request) {
        case ("invalid_grant", .refresh):
            AuthError(
                .userTokenExpired,
                "The identity provider no longer takes the refresh token (invalid_grant): the session was ended, or the token "
                    + "was used before. Sign in again."
            )
        case ("invalid_grant", _):
            AuthError(
                .invalidCredential,
                "The identity provider does not take the code of this sign-in (invalid_grant). Start the sign-in again."
            )
        case ("access_denied", _):
            AuthError(.webContextCancelled, "The sign-in was declined (access_denied).")
        case ("invalid_client", _), ("unauthorized_client", _):
            AuthError(
                .invalidClientID,
                "The identity provider does not take this client (\(word)).",
                remedy: "Check the client id and the client secret, and what the client is registered for."
            )
        case ("invalid_scope", _):
            AuthError(
                .operationNotAllowed,
                "The identity provider does not give these scopes (\(word)). Ask for others."
            )
        case (let word, _) where word.hasPrefix("unsupported_"):
            AuthError(.operationNotAllowed, "The identity provider does not offer this (\(quoted)).")
        case ("interaction_required", _), ("login_required", _), ("consent_required", _),
            ("account_selection_required", _):
            AuthError(
                .requiresRecentLogin,
                "The identity provider wants to ask the person (\(word)). Sign in again without prompt=none."
            )
        case ("expired_token", _):
            AuthError(.timedOut, "The code ran out before it was entered. Start the sign-in again.")
        case ("slow_down", _):
            AuthError(.tooManyRequests, "The identity provider was asked too often (slow_down). Try again later.")
        case ("invalid_code", .codeExchange):
            AuthError(.invalidCredential, "The identity provider does not take the code of this sign-in (\(word)).")
        default:
            AuthError(.webInternalError, "The identity provider answered with \(quoted). Try again later.")
        }
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) || byte == UInt8(ascii: "_")
            || byte == UInt8(ascii: "-")
    }
}

extension AuthError {
    /// An answer that is not what the protocol says.
    static func malformed(_ what: String, underlying: (any Error)? = nil) -> AuthError {
        AuthError(
            .webInternalError,
            "\(what.prefix(1).uppercased() + what.dropFirst()) of the identity provider is not what OpenID Connect says. "
                + "Try again; if it stays so, ask whoever runs it.",
            underlying: underlying
        )
    }
}
