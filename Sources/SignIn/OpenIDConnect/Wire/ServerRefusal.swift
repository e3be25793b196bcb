internal import SharedAuth

/// A server's refusal: the `error` code of RFC 6749 and related standards. Its description is not passed on, as it may
/// be personal.
struct ServerRefusal: Error, Hashable {
    /// The request that was refused.
    enum Request: Sendable, CaseIterable {
        /// The page where users sign in, which may show something to the user.
        case authorization
        /// The same with `prompt=none`.
        case silentAuthorization
        case codeExchange
        /// A refresh without anything special.
        case refresh
        /// A refresh for some scopes, a resource or an audience.
        case narrowedRefresh
        /// The request for the codes of a sign-in on another device.
        case deviceCode
        /// A poll with such a code.
        case devicePoll
        case revocation
        /// The registration of a client.
        case registration
        /// The question who holds an access token.
        case introspection
    }

    /// The meaning of a refusal for what was requested.
    enum Verdict: Sendable {
        /// The session, the code or the token has ended, or never was one.
        case ended
        /// The session may have ended: a refresh without anything special tells.
        case unclear
        /// This request is refused, and would be again.
        case refused
        /// The session is refused until the user signs in again, or until an administrator changes something. Its
        /// tokens can be used until they expire.
        case signInAgain
        /// The same request may succeed later.
        case passing
    }

    let word: String
    /// The reason for the word, as some servers name it.
    var detail: String?
    /// The HTTP status; nil for a refusal that came by redirect.
    var status: Int?

    init(_ word: String, detail: String? = nil, status: Int? = nil) {
        (self.word, self.detail, self.status) = (word, detail, status)
    }
}

extension ServerRefusal {
    /// The words of a server that could grant the request another time.
    private static let passing: Set<String> = ["server_error", "temporarily_unavailable", "slow_down"]
    /// The words that say that a token or a code is not known, or no longer valid.
    private static let unknownToken: Set<String> = [
        "invalid_grant", "invalid_token", "token_inactive", "expired_token", "token_expired", "bad_refresh_token",
    ]
    /// The reasons for `invalid_grant` that concern the refresh token itself. Any other, such as a missing consent,
    /// concerns the moment, or what was requested.
    private static let deadToken: Set<String> = ["bad_token", "token_expired"]
    /// The words that say that the user must do something at the sign-in page.
    private static let interaction: Set<String> = [
        "interaction_required", "login_required", "consent_required", "account_selection_required",
    ]
    private static let client: Set<String> = ["invalid_client", "unauthorized_client", "incorrect_client_credentials"]
    private static let declined: Set<String> = ["access_denied", "authorization_declined"]
    private static let expiredCode: Set<String> = ["expired_token", "code_expired", "token_expired"]
    private static let wrongCode: Set<String> = [
        "invalid_grant", "invalid_code", "bad_verification_code", "incorrect_device_code", "bad_device_code",
    ]

    /// Indicates whether the server does not know the client, or does not accept its secret. That a client may not make
    /// a request (`unauthorized_client`) says nothing about other requests.
    var isOfUnknownClient: Bool { word == "invalid_client" }

    /// Indicates whether the word says something about the user or a code, not about the request.
    var isAboutUserOrCode: Bool {
        [Self.interaction, Self.declined, Self.expiredCode, Self.wrongCode].contains { $0.contains(word) }
    }

    /// Indicates whether the refusal of a refresh concerns the refresh token itself.
    private var isOfDeadToken: Bool { word == "invalid_grant" && detail.map(Self.deadToken.contains) ?? true }

    /// Returns what the refusal of a request means. Unknown words do not pass, and end nothing.
    func verdict(of request: Request) -> Verdict {
        if let status, status == 429 || status >= 500 { return .passing }
        if Self.passing.contains(word) { return .passing }
        switch request {
        case .refresh:
            return isOfDeadToken ? .ended : .signInAgain
        case .narrowedRefresh:
            return isOfDeadToken ? .unclear : .refused
        case .revocation:
            return Self.unknownToken.contains(word) ? .ended : .refused
        case .devicePoll:
            return Self.expiredCode.contains(word) || Self.wrongCode.contains(word) ? .ended : .refused
        case .codeExchange:
            return Self.wrongCode.contains(word) ? .ended : .refused
        case .authorization, .silentAuthorization, .deviceCode, .registration, .introspection:
            return .refused
        }
    }

    /// Returns the error for the app: what happened to this request, and what to do.
    func error(of request: Request) -> AuthError {
        let verdict = verdict(of: request)
        if verdict == .passing { return passingError(of: request) }
        switch request {
        case .refresh: return refreshError(verdict)
        case .narrowedRefresh: return narrowedRefreshError(verdict)
        case .revocation: return revocationError
        case .registration: return registrationError
        case .introspection: return introspectionError
        case .authorization, .silentAuthorization, .codeExchange, .deviceCode, .devicePoll:
            return signInError(of: request)
        }
    }
}

extension ServerRefusal {
    /// The code in a form that a message may quote, with its reason.
    var quoted: String {
        let words = [word, detail ?? ""].filter(Self.isQuotable)
        return words.isEmpty || !Self.isQuotable(word) ? "an error without a name" : words.joined(separator: ", ")
    }

    /// A name starts with a letter, and has nothing of an address or a sentence.
    private static func isQuotable(_ word: String) -> Bool {
        guard let first = word.utf8.first, word.utf8.count <= 64 else { return false }
        return isLetter(first)
            && word.utf8.allSatisfy { isLetter($0) || isDigit($0) || Array("_-.".utf8).contains($0) }
    }

    private static func isLetter(_ byte: UInt8) -> Bool { (0x61...0x7A).contains(byte | 0x20) }
    private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }

    private func passingError(of request: Request) -> AuthError {
        if word == "slow_down" || status == 429 {
            return AuthError(
                .tooManyRequests,
                "Too many requests to the identity provider (\(quoted)).",
                remedy: "Try again later."
            )
        }
        guard word == "server_error", ![.revocation, .registration, .introspection].contains(request) else {
            return AuthError(
                .webInternalError,
                "The identity provider failed (\(quoted)).",
                remedy: "Try again later. If the error persists, check the provider's log."
            )
        }
        return AuthError(
            .webInternalError,
            "The identity provider failed to issue tokens (server_error).",
            remedy: "Try again. If the error persists, have the provider's administrator look in its log. Some "
                + "providers fail so if ID tokens of a client without a secret are to be signed with a shared "
                + "secret (HS256, HS512): set RS256 or ES256."
        )
    }

    private var clientError: AuthError {
        AuthError(
            .invalidClientID,
            "The identity provider does not accept this client (\(quoted)).",
            remedy: "Check the client ID, the client secret and the client's registration.",
            underlying: self
        )
    }

    private func refreshError(_ verdict: Verdict) -> AuthError {
        if verdict == .ended {
            return AuthError(
                .userTokenExpired,
                "The identity provider no longer accepts the refresh token (\(quoted)): the session was ended, or "
                    + "the token was used before. Sign in again."
            )
        }
        if Self.client.contains(word) { return clientError }
        return AuthError(
            .requiresRecentLogin,
            "The identity provider does not renew the session (\(quoted)).",
            remedy: "Sign in again."
        )
    }

    private func narrowedRefreshError(_ verdict: Verdict) -> AuthError {
        if Self.client.contains(word) { return clientError }
        let needsUser = Self.interaction.contains(word) || detail.map(Self.interaction.contains) ?? false
        let message = "The identity provider issued no access token for these scopes or resources (\(quoted))."
        let code: AuthErrorCode =
            verdict == .unclear ? .userTokenExpired : needsUser ? .requiresRecentLogin : .operationNotAllowed
        return AuthError(code, message, remedy: "Request others, or sign in again with these.")
    }

    private var revocationError: AuthError {
        if Self.client.contains(word) {
            return AuthError(
                .invalidClientID,
                "The identity provider does not let this client end sessions (\(quoted)).",
                remedy: "Check the client ID, the client secret and the client's registration."
            )
        }
        return AuthError(
            .operationNotAllowed,
            "The identity provider did not end the session (\(quoted)).",
            remedy: "End it at the provider, if that matters."
        )
    }

    private var registrationError: AuthError {
        AuthError(
            .operationNotAllowed,
            "The identity provider does not register the app (\(quoted)).",
            remedy: word == "invalid_redirect_uri"
                ? "Set OAuthRegistration.redirectURIs to a redirect URI that it accepts."
                : "Register a client there by hand, and use its client ID. If the provider requires a token for that, "
                    + "set OAuthRegistration.initialAccessToken."
        )
    }

    private var introspectionError: AuthError {
        AuthError(
            .operationNotAllowed,
            "The identity provider does not tell this client who holds an access token (\(quoted)).",
            remedy: "Allow the client to introspect tokens, or set OAuthServer.user to a page of the server."
        )
    }

    /// Returns the error of a request that belongs to a sign-in.
    private func signInError(of request: Request) -> AuthError {
        if Self.client.contains(word) { return clientError }
        if Self.declined.contains(word) {
            return AuthError(.webContextCancelled, "The sign-in was declined (\(quoted)).")
        }
        if Self.interaction.contains(word) { return interactionError(of: request) }
        switch request {
        case .devicePoll where Self.expiredCode.contains(word):
            return AuthError(
                .timedOut,
                "The code expired before it was entered (\(quoted)).",
                remedy: "Start the sign-in again."
            )
        case .devicePoll where Self.wrongCode.contains(word), .codeExchange where Self.wrongCode.contains(word):
            return AuthError(
                .invalidCredential,
                "The identity provider does not accept the code of this sign-in (\(quoted)).",
                remedy: "Start the sign-in again."
            )
        default: break
        }
        if word == "invalid_scope" {
            return AuthError(
                .operationNotAllowed,
                "The identity provider does not grant these scopes (\(quoted)).",
                remedy: "Request others."
            )
        }
        if word.hasPrefix("unsupported_") || word.hasSuffix("_not_supported") {
            return AuthError(.operationNotAllowed, "The identity provider does not offer this (\(quoted)).")
        }
        return AuthError(
            .operationNotAllowed,
            "The identity provider refused \(request.name) (\(quoted)).",
            remedy: "Check the client's registration. If it is right, look for the reason in the provider's log."
        )
    }

    private func interactionError(of request: Request) -> AuthError {
        switch (request, word) {
        case (.silentAuthorization, _):
            AuthError(
                .requiresRecentLogin,
                "The identity provider needs to prompt the user (\(quoted)).",
                remedy: "Sign in again without prompt=none."
            )
        case (_, "consent_required"):
            AuthError(.webContextCancelled, "The sign-in was declined: the user did not consent (\(quoted)).")
        default:
            AuthError(
                .requiresRecentLogin,
                "The identity provider ended the sign-in before the user was done (\(quoted)).",
                remedy: "Sign in again."
            )
        }
    }
}

extension ServerRefusal: CustomStringConvertible {
    /// The code.
    var description: String { quoted }
}

extension ServerRefusal.Request {
    /// The request, as the object of a sentence.
    fileprivate var name: String {
        switch self {
        case .authorization, .silentAuthorization: "the sign-in"
        case .codeExchange: "to issue tokens for the code of this sign-in"
        case .refresh, .narrowedRefresh: "the refresh"
        case .deviceCode: "to issue a device code"
        case .devicePoll: "to issue tokens for the device code"
        case .revocation: "the revocation"
        case .registration: "the registration of the app"
        case .introspection: "the introspection of the access token"
        }
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

    /// Data without a member that is needed.
    static func lacking(_ member: String, in what: String) -> AuthError {
        AuthError(
            .webInternalError,
            "The identity provider sent malformed data: the \(what) has no usable \(member).",
            remedy: "Try again. If the error persists, contact the provider."
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
