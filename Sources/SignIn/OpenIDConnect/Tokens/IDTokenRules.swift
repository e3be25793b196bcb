internal import FoundationEssentials
internal import SharedAuth
internal import SharedAuthHTTP

/// Checks the claims of an ID token (OpenID Connect Core §3.1.3.7 and §12.2, RFC 8725). ``SignatureRules`` are
/// about its signature.
struct IDTokenRules: Sendable {
    /// The request in response to which the token was issued.
    enum Occasion: Sendable {
        /// A sign-in with this nonce and maximum age. A device code sign-in has neither.
        case signIn(rawNonce: String?, maxAge: Int?)
        /// A refresh of a session that had this token, if it still had one. The clock is not checked: the exchange has
        /// already happened, and a wrong clock must not end the session.
        case refresh(of: IDToken?)
    }

    /// The maximum difference between two clocks, in seconds.
    static let leeway: TimeInterval = 60
    /// The maximum distance of a token's date from now, in seconds.
    private static let largestDistance: TimeInterval = 600

    let issuerURL: String
    let clientID: String

    /// Checks a token.
    ///
    /// - Throws: `invalidCredential` for a wrong issuer, audience, date, subject or access token; at a sign-in,
    ///   `missingOrInvalidNonce`, and `requiresRecentLogin` above the maximum age; at a refresh, `userMismatch`.
    func check(_ token: IDToken, with accessToken: String?, on occasion: Occasion, now: Date) throws(AuthError) {
        let algorithm = try SignatureRules.algorithm(of: token)
        guard !token.isOfAnotherKind else { throw Self.refused("is a token of another kind") }
        guard token.claims.string("iss") == issuerURL else { throw Self.refused("is from another issuer") }
        try checkAudience(of: token)
        try checkSubject(of: token)
        guard let issued = token.claims.moment("iat"), let expires = token.claims.moment("exp"), expires > issued
        else {
            throw Self.refused("has no valid dates (iat, exp)")
        }
        if let accessToken, let hash = token.claims.string("at_hash") {
            guard hash == algorithm.halfHash(of: accessToken) else {
                throw Self.refused("belongs to another access token")
            }
        }
        switch occasion {
        case .signIn(let rawNonce, let maxAge):
            try checkDates(of: token, issued: issued, expires: expires, now: now.timeIntervalSince1970)
            guard token.claims.string("nonce") == rawNonce.map(SignInSecrets.nonce) else {
                throw AuthError(
                    .missingOrInvalidNonce,
                    "The ID token is not for this sign-in: its nonce is missing or wrong. No user was signed in."
                )
            }
            if let maxAge { try checkAge(of: token, atMost: Double(maxAge), now: now.timeIntervalSince1970) }
        case .refresh(let former):
            if let former { try check(token, continues: former) }
        }
    }

    /// Checks that this client is among the audiences, and the authorized party, if there is one. OpenID Connect Core
    /// with errata set 2 requires no authorized party for several audiences.
    private func checkAudience(of token: IDToken) throws(AuthError) {
        let party = token.claims.string("azp") ?? clientID
        guard token.audience.contains(clientID), party == clientID else {
            throw Self.refused("is for another client")
        }
    }

    private func checkSubject(of token: IDToken) throws(AuthError) {
        guard let subject = token.subject else {
            throw Self.refused("has no valid subject (sub): it is \(token.claims.members["sub"].kind)")
        }
        guard subject.utf8.count <= 255, subject.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) else {
            throw Self.refused("has no valid subject (sub): it is longer than 255 characters, or not in ASCII")
        }
    }

    private func checkDates(
        of token: IDToken,
        issued: TimeInterval,
        expires: TimeInterval,
        now: TimeInterval
    ) throws(AuthError) {
        guard abs(issued - now) <= Self.largestDistance else {
            let minutes = Int((abs(issued - now) / 60).rounded())
            throw Self.refused(
                "is dated \(minutes) minutes \(issued < now ? "ago" : "ahead"): check this machine's clock"
            )
        }
        guard expires > now - Self.leeway else { throw Self.refused("has expired") }
        if let start = token.claims.moment("nbf"), start > now + Self.leeway {
            throw Self.refused("is not valid yet: check this machine's clock")
        }
    }

    private func checkAge(of token: IDToken, atMost age: Double, now: TimeInterval) throws(AuthError) {
        guard let signedIn = token.claims.moment("auth_time"), now - signedIn <= age + Self.leeway else {
            throw AuthError(
                .requiresRecentLogin,
                "The sign-in at the identity provider is older than max_age allows, or has no date. Sign "
                    + "in again."
            )
        }
    }

    /// Checks the claims that continue during a session. The user may have signed in again meanwhile, with another app of
    /// the provider or because the provider asked for it; an earlier sign-in than before is that of another session.
    private func check(_ token: IDToken, continues former: IDToken) throws(AuthError) {
        guard token.subject == former.subject, token.claims.string("iss") == former.claims.string("iss") else {
            throw AuthError(
                .userMismatch,
                "The identity provider returned the ID token of another user at a refresh."
            )
        }
        // Any of these claims may be absent.
        let signedIn = token.claims.moment("auth_time")
        if let signedIn, let before = former.claims.moment("auth_time"), signedIn < before - Self.leeway {
            throw Self.refused("is of an earlier sign-in than the refreshed session (auth_time)")
        }
        if let nonce = token.claims.string("nonce"), let before = former.claims.string("nonce"), nonce != before {
            throw Self.refused("does not belong to the refreshed session (nonce)")
        }
    }

    static func refused(_ reason: String, remedy: String? = nil) -> AuthError {
        AuthError(
            .invalidCredential,
            "The ID token of the identity provider \(reason). It was not accepted.",
            remedy: remedy
        )
    }
}

extension JSONValue? {
    /// The kind of value, as a part of a sentence.
    fileprivate var kind: String {
        switch self {
        case nil: "missing"
        case .null?: "null"
        case .string?: "empty"
        case .number?: "a number, not a text"
        case .bool?: "a Boolean, not a text"
        case .array?: "a list, not a text"
        case .object?: "an object, not a text"
        }
    }
}
