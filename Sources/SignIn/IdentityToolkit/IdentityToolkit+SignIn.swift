internal import FoundationEssentials
public import SharedAuth
internal import SharedAuthHTTP

extension IdentityToolkit {
    /// Creates an anonymous user and signs them in.
    public func signInAnonymously(tenantID: String?) async throws(AuthError) -> IdentityGrant {
        try await checkKey()
        let answer = try await backend.call(.signUp, Self.body([:], tenantID: tenantID))
        return try await grant(from: answer, of: tenantID, isNewUser: true)
    }

    /// Creates a user with an e-mail address and a password and signs them in.
    public func createUser(
        withEmail email: String,
        password: String,
        tenantID: String?
    ) async throws(AuthError) -> IdentityGrant {
        try await checkKey()
        let body = Self.body(["email": .string(email), "password": .string(password)], tenantID: tenantID)
        return try await grant(from: try await backend.call(.signUp, body), of: tenantID, isNewUser: true)
    }

    /// Signs a user in with any kind of credential.
    public func signIn(
        with credential: AuthCredential,
        tenantID: String?
    ) async throws(AuthError) -> IdentityGrant {
        try await checkKey()
        return try await signIn(with: credential, tenantID: tenantID, as: nil)
    }

    /// Signs a user in.
    ///
    /// - Parameter uid: The only user that is accepted; nil accepts any user, also a new one.
    /// - Throws: `userMismatch` if another user signs in.
    func signIn(
        with credential: AuthCredential,
        tenantID: String?,
        as uid: String?
    ) async throws(AuthError) -> IdentityGrant {
        let (operation, members) = try Self.request(for: credential, tenantID: tenantID)
        var body = Self.body(members, tenantID: tenantID)
        if operation.path == AccountOperation.signInWithIdp.path { body["autoCreate"] = .bool(uid == nil) }
        let answer = try await answer(to: operation, body, credential)
        return try await grant(from: answer, of: tenantID, as: uid, credential)
    }

    /// Sends a credential for a sign-in or a link, and returns the response.
    ///
    /// - Throws: The errors of ``Backend``; the error that a response with status 200 contains instead of tokens.
    func answer(
        to operation: AccountOperation,
        _ body: [String: JSONValue],
        _ credential: AuthCredential
    ) async throws(AuthError) -> JSONObject {
        let answer = try await backend.call(operation, body)
        guard case .oauth(let given) = credential.content else { return answer }
        let details = AuthErrorDetails.credential(
            email: answer.string("email"),
            answer.oauthCredential(given: given, at: now())
        )
        // Firebase returns these errors with status 200.
        if let message = answer.string("errorMessage") {
            throw FirebaseRefusal(status: 200, message: message).error(of: operation, details: details)
        }
        if answer.bool("needConfirmation") == true {
            let ways = answer.strings("verifiedProvider") ?? []
            throw AuthError(
                .accountExistsWithDifferentCredential,
                "This address's account has other sign-in methods\(ways.isEmpty ? "" : ": \(ways.joined(separator: ", "))").",
                remedy: "Sign in with one of them, then link the credential of the error's details.",
                details: details
            )
        }
        return answer
    }

    /// Returns the operation and the parameters for exchanging a credential.
    ///
    /// - Throws: `invalidActionCode` if the link is not a sign-in link; `tenantIDMismatch` if it is for another tenant.
    static func request(
        for credential: AuthCredential,
        tenantID: String?
    ) throws(AuthError) -> (AccountOperation, [String: JSONValue]) {
        switch credential.content {
        case .password(let email, let password):
            return (.signInWithPassword, ["email": .string(email), "password": .string(password)])
        case .customToken(let token):
            return (.signInWithCustomToken, ["token": .string(token)])
        case .emailLink(let email, let link):
            return (.signInWithEmailLink, try members(email, link, tenantID: tenantID))
        case .oauth(let credential):
            return (.signInWithIdp, members(credential))
        }
    }

    private static func members(
        _ email: String,
        _ link: String,
        tenantID: String?
    ) throws(AuthError) -> [String: JSONValue] {
        guard let url = ActionCodeURL(link: link), url.operation == .emailLink else {
            throw AuthError(
                .invalidActionCode,
                "The link is not a sign-in link.",
                remedy: "Use the whole link from the e-mail."
            )
        }
        guard url.tenantID == tenantID else {
            throw AuthError(.tenantIDMismatch, "The link is for a tenant other than Auth.tenantID.")
        }
        return ["email": .string(email), "oobCode": .string(url.code)]
    }

    private static func members(_ credential: OAuthCredential) -> [String: JSONValue] {
        var members: [String: JSONValue] = [
            // Another client made the request to the service, so there was no redirect.
            "requestUri": .string("http://localhost"), "returnIdpCredential": .bool(true),
        ]
        if let token = credential.pendingToken {
            members["pendingToken"] = .string(token)
            return members
        }
        if let redirect = credential.redirect {
            members["requestUri"] = .string(redirect.url)
            members["sessionId"] = .string(redirect.sessionID)
            members["postBody"] = .string(redirect.query)
            return members
        }
        let form = [
            ("id_token", credential.idToken), ("access_token", credential.accessToken?.token),
            ("oauth_token_secret", credential.secret), ("nonce", credential.rawNonce),
        ]
        let items = form.compactMap { name, value in value.map { (name: name, value: $0) } }
        let postBody = FormEncoding.encode([(name: "providerId", value: credential.providerID)] + items)
        members["postBody"] = .string(postBody)
        return members
    }

    static func body(_ members: [String: JSONValue], tenantID: String?) -> [String: JSONValue] {
        var body = members
        body["returnSecureToken"] = .bool(true)
        if let tenantID { body["tenantId"] = .string(tenantID) }
        return body
    }
}

extension IdentityToolkit {
    /// Returns the grant for the user who signed in.
    ///
    /// - Throws: `secondFactorRequired`; `userMismatch` if another user signed in; `tenantIDMismatch`; the errors of
    ///   looking up the account.
    private func grant(
        from answer: JSONObject,
        of tenantID: String?,
        as uid: String? = nil,
        _ credential: AuthCredential? = nil,
        isNewUser: Bool? = nil
    ) async throws(AuthError) -> IdentityGrant {
        if let pending = answer.string("mfaPendingCredential") {
            throw secondFactorRequired(answer.factors) { [self] assertion async throws(AuthError) in
                let second = try await finish(pending, with: assertion, tenantID: tenantID)
                return try await grant(second, first: answer, of: tenantID, as: uid, credential, isNewUser: false)
            }
        }
        return try await grant(answer, first: answer, of: tenantID, as: uid, credential, isNewUser: isNewUser)
    }

    private func grant(
        _ answer: JSONObject,
        first: JSONObject,
        of tenantID: String?,
        as uid: String?,
        _ credential: AuthCredential?,
        isNewUser: Bool?
    ) async throws(AuthError) -> IdentityGrant {
        guard let tokens = try answer.tokens(at: now()) else { throw .incomplete("tokens") }
        let signedIn = answer.string("localId") ?? tokens.idToken.flatMap { TokenClaims($0)?.uid }
        if let uid, let signedIn, uid != signedIn { throw .otherUser(than: uid) }
        // The credential may be valid only once, like a link or a code.
        let profile = try await profile(afterChangeBy: answer, tokens)
        if let signedIn, signedIn != profile.uid { throw .incomplete("one user") }
        if let tenantID, profile.tenantID != tenantID {
            throw AuthError(
                .tenantIDMismatch,
                "The user who signed in belongs to a tenant other than Auth.tenantID."
            )
        }
        var details = IdentityGrant.Details()
        if case .oauth(let given)? = credential?.content {
            details = first.details(first.oauthCredential(given: given, at: now()))
        }
        return IdentityGrant(
            profile: profile,
            tokens: tokens,
            isNewUser: isNewUser ?? first.bool("isNewUser") ?? false,
            details: details
        )
    }

    private func secondFactorRequired(
        _ factors: [MultiFactorInfo],
        finish: @escaping MultiFactorResolver.Finish
    ) -> AuthError {
        AuthError(
            .secondFactorRequired,
            "The account also needs its second factor.",
            remedy: "Ask the user for a code, and call resolveSignIn(with:) of the resolver in the error's details.",
            details: .secondFactor(MultiFactorResolver(hints: factors, finish: finish))
        )
    }

    private func finish(
        _ pending: String,
        with assertion: MultiFactorAssertion,
        tenantID: String?
    ) async throws(AuthError) -> JSONObject {
        var members: [String: JSONValue] = [
            "mfaPendingCredential": .string(pending),
            "mfaEnrollmentId": .string(try assertion.factorForSignIn),
            "totpVerificationInfo": .object(["verificationCode": .string(assertion.oneTimePassword)]),
        ]
        if let tenantID { members["tenantId"] = .string(tenantID) }
        return try await backend.call(.finishSecondFactor, members)
    }
}

extension AuthError {
    /// Firebase's response lacks a required member.
    static func incomplete(_ what: String) -> AuthError {
        AuthError(.internalError, "Firebase's response does not have \(what). Try again.")
    }

    /// The credential belongs to another user.
    static func otherUser(than uid: String) -> AuthError {
        AuthError(.userMismatch, "The credential does not belong to \(uid).")
    }
}
