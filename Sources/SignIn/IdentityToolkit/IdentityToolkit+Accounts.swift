internal import FoundationEssentials
public import SharedAuth
internal import SharedAuthHTTP

extension IdentityToolkit: AccountProvider {
    /// Updates the account's display name or photo.
    public func updateProfile(
        _ change: UserProfileChange,
        for tokens: UserTokens
    ) async throws(AuthError) -> AccountChange {
        var members: [String: JSONValue] = [:]
        var cleared: [JSONValue] = []
        switch change.displayName {
        case .set(let name): members["displayName"] = .string(name)
        case .clear: cleared.append(.string("DISPLAY_NAME"))
        case .keep: break
        }
        switch change.photoURL {
        case .set(let url): members["photoUrl"] = .string(url.absoluteString)
        case .clear: cleared.append(.string("PHOTO_URL"))
        case .keep: break
        }
        if !cleared.isEmpty { members["deleteAttribute"] = .array(cleared) }
        return try await update(members, for: tokens)
    }

    /// Updates the account's e-mail address. Firebase allows this only if the project has no e-mail enumeration
    /// protection.
    public func updateEmail(to email: String, for tokens: UserTokens) async throws(AuthError) -> AccountChange {
        try await update(["email": .string(email)], for: tokens)
    }

    /// Updates the account's password. All other sessions of the account end.
    public func updatePassword(to password: String, for tokens: UserTokens) async throws(AuthError) -> AccountChange {
        try await update(["password": .string(password)], for: tokens)
    }

    /// Removes a sign-in method from the account.
    public func unlink(providerID: String, from tokens: UserTokens) async throws(AuthError) -> AccountChange {
        try await update(["deleteProvider": .array([.string(providerID)])], for: tokens)
    }

    /// Adds a sign-in method to the account.
    public func link(_ credential: AuthCredential, to tokens: UserTokens) async throws(AuthError) -> IdentityGrant {
        var (operation, members) = try Self.request(for: credential, tenantID: credential.linkTenantID)
        switch credential.content {
        // Adding a password to an existing account is a sign-up with that account's ID token.
        case .password: operation = .signUp
        case .customToken:
            throw AuthError(
                .operationNotAllowed,
                "Firebase does not link custom tokens.",
                remedy: "Sign in with the custom token instead."
            )
        case .oauth: members["autoCreate"] = .bool(true)
        case .emailLink: break
        }
        members["idToken"] = .string(try Self.idToken(of: tokens))
        let answer = try await answer(to: operation, Self.body(members, tenantID: nil), credential)
        guard let linked = try answer.tokens(at: now()) else { throw .incomplete("tokens") }
        var profile = try await profile(afterChangeBy: answer, linked, replacing: tokens)
        profile.isAnonymous = false
        var details = IdentityGrant.Details()
        if case .oauth(let given) = credential.content {
            details = answer.details(answer.oauthCredential(given: given, at: now()))
        }
        return IdentityGrant(profile: profile, tokens: linked, isNewUser: false, details: details)
    }

    /// Signs in to the account again.
    ///
    /// - Throws: `userMismatch` if the credential belongs to another account or to none; the errors of a sign-in.
    public func reauthenticate(
        with credential: AuthCredential,
        for profile: UserProfile
    ) async throws(AuthError) -> IdentityGrant {
        do throws(AuthError) {
            return try await signIn(with: credential, tenantID: profile.tenantID, as: profile.uid)
        } catch  where error.code == .userNotFound {
            throw .otherUser(than: profile.uid)
        }
    }

    /// Deletes the account.
    public func deleteAccount(for tokens: UserTokens) async throws(AuthError) {
        _ = try await backend.call(.delete, ["idToken": .string(try Self.idToken(of: tokens))])
    }
}

extension IdentityToolkit {
    private func update(
        _ members: [String: JSONValue],
        for tokens: UserTokens
    ) async throws(AuthError) -> AccountChange {
        var members = members
        members["idToken"] = .string(try Self.idToken(of: tokens))
        let answer = try await backend.call(.update, Self.body(members, tenantID: nil))
        guard let renewed = try answer.tokens(at: now()) else {
            return AccountChange(profile: try await profile(for: tokens))
        }
        // The former tokens are no longer valid, so no second request is sent before the new ones are stored.
        if let profile = renewed.idToken.flatMap({ TokenClaims($0)?.profile(providers: answer.providers) }) {
            return AccountChange(profile: profile, tokens: renewed)
        }
        let profile = try await profile(afterChangeBy: answer, renewed, replacing: tokens)
        return AccountChange(profile: profile, tokens: renewed)
    }

    /// Returns the profile after a sign-in or a change. If the lookup fails, builds the profile from the new tokens,
    /// which must not be lost: at a sign-in only if the failure may pass, after a change unless the error ends the
    /// session.
    ///
    /// - Parameter former: The tokens that the new ones replace; nil at a sign-in.
    /// - Throws: The lookup's error if the profile cannot be built from the tokens, such as `userDisabled`. After a
    ///   change of the same user, it carries the new tokens, since the former ones are no longer valid.
    func profile(
        afterChangeBy answer: JSONObject,
        _ tokens: UserTokens,
        replacing former: UserTokens? = nil
    ) async throws(AuthError) -> UserProfile {
        do throws(AuthError) {
            return try await profile(for: tokens)
        } catch {
            let claims = tokens.idToken.flatMap { TokenClaims($0) }
            let goesByTokens = former == nil ? error.code.mayPass : !error.code.endsSession
            if goesByTokens, let profile = claims?.profile(providers: answer.providers) { return profile }
            let isOther = claims?.uid != former?.idToken.flatMap { TokenClaims($0)?.uid }
            guard former != nil, claims == nil || !isOther else { throw error }
            throw error.bringing(tokens)
        }
    }
}

extension AuthErrorCode {
    /// True if the same request may succeed a moment later.
    var mayPass: Bool { [.networkError, .timedOut, .tooManyRequests].contains(self) }
}

extension AuthCredential {
    /// The tenant to send when linking: that of an e-mail link. For other credentials Firebase uses the account's
    /// tenant.
    fileprivate var linkTenantID: String? {
        if case .emailLink(_, let link) = content { ActionCodeURL(link: link)?.tenantID } else { nil }
    }
}
