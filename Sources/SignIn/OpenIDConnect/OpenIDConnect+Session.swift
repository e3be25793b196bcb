public import FoundationEssentials
public import SharedAuth
internal import SharedAuthHTTP

extension OpenIDConnect {
    /// Signs a user in with the ID token of ``OpenIDSignIn``, ``DeviceSignIn``, or the app's own flow.
    ///
    /// The profile combines the claims of the ID token and of UserInfo. If UserInfo does not respond, it has the claims
    /// of the ID token only.
    ///
    /// - Throws: `operationNotAllowed` for another kind of credential, or one without an ID token; `invalidCredential`
    ///   if the ID token has a wrong issuer, audience, signature or date, or if UserInfo returns another user;
    ///   `missingOrInvalidNonce`, `malformedJWT`.
    public func signIn(
        with credential: AuthCredential,
        tenantID: String?
    ) async throws(AuthError) -> IdentityGrant {
        guard case .oauth(let content) = credential.content, let idToken = content.idToken else {
            throw AuthError(
                .operationNotAllowed,
                "The identity provider \(issuer) signs users in only with an ID token. Sign in with OpenIDSignIn or "
                    + "DeviceSignIn."
            )
        }
        let server = try await server()
        let token = try await checked(
            idToken,
            with: content.accessToken?.token,
            on: .signIn(rawNonce: content.rawNonce, maxAge: nil),
            at: server
        )
        // The ID token is enough to sign in, and the code is used up; reloading the profile tries again.
        let claims = try await claims(of: token, content.accessToken?.token, at: server, needingUserInfo: false)
        guard let profile = claims.profile(signedInAt: client.providerID) else { throw .malformed("the ID token") }
        var grant = IdentityGrant(
            profile: profile,
            tokens: UserTokens(
                idToken: idToken,
                refreshToken: content.refreshToken,
                expirationDate: token.expirationDate,
                accessTokens: content.accessToken.map { [$0] } ?? []
            ),
            isNewUser: false,
            details: IdentityGrant.Details(
                username: claims.members.string("preferred_username"),
                profile: claims.members.members,
                credential: content
            )
        )
        if client.issuerTemplate != nil {
            grant.issuer = client.tenant(at: try client.issuerName.issuerURL(of: token)).issuer
        }
        return grant
    }

    /// Exchanges the refresh token for new tokens. If the provider rotates refresh tokens, the present one is no longer
    /// valid.
    ///
    /// A new ID token is checked, except for its dates by this machine's clock. If there is none, the present one is
    /// kept until it expires. If the new one is refused or cannot be checked, the present one is kept as well.
    ///
    /// - Throws: `userTokenExpired` if the provider ended the session (`invalid_grant`; for some scopes, a refresh
    ///   without any has to get it, too), or if the session has expired and has no refresh token;
    ///   `requiresRecentLogin` if the provider refuses to renew it otherwise; `operationNotAllowed` if it has no refresh
    ///   token and is still valid, or if the provider grants no access token for the scopes; `userMismatch` for another
    ///   user's ID token; the reason that any other ID token or response is refused, with the other new tokens as
    ///   `AuthErrorDetails.tokens`.
    public func refresh(_ tokens: UserTokens, scopes: Set<String>) async throws(AuthError) -> UserTokens {
        guard let refreshToken = tokens.refreshToken else { throw tokens.cannotBeRefreshed(at: dependencies.now()) }
        let server = try await server()
        let client = authentication(at: server)
        let answer = try await backchannel.exchange(refreshToken, for: scopes, at: server, as: client)
        switch answer {
        case .refused(let refusal): throw refusal.error(of: scopes.isEmpty ? .refresh : .narrowedRefresh)
        case .object(let object):
            // The exchange is done: from now on, only the new refresh token may be valid.
            guard let answer = TokenAnswer(object) else {
                let error = AuthError.malformed("the response to a refresh has no access_token and no id_token")
                throw error.bringing(tokens.renewed(by: TokenAnswer.refreshToken(in: object)))
            }
            do throws(AuthError) {
                try answer.checkType()
            } catch {
                throw error.bringing(tokens.renewed(by: answer.refreshToken))
            }
            return try await successor(of: tokens, by: answer, for: scopes, at: server)
        }
    }

    /// Returns the tokens after a refresh. The exchange is done, so this keeps everything that can be kept.
    private func successor(
        of tokens: UserTokens,
        by answer: TokenAnswer,
        for scopes: Set<String>,
        at server: ServerMetadata
    ) async throws(AuthError) -> UserTokens {
        let (now, former) = (dependencies.now(), tokens.idToken.flatMap { try? IDToken($0) })
        let access = answer.access(refreshing: tokens, for: scopes, now: now, otherwise: former?.lifetime ?? 3600)
        var (idToken, expirationDate) = (tokens.idToken, tokens.expirationDate)
        // The stored date means nothing if it was computed by a clock that was ahead.
        if let former, tokens.isFromFuture(at: now) { expirationDate = former.expirationDate }
        var refusal: AuthError?
        var uid: String?
        if let text = answer.idToken {
            let occasion = IDTokenRules.Occasion.refresh(of: former)
            do throws(AuthError) {
                let token = try await checked(text, with: answer.accessToken, on: occasion, at: server)
                (idToken, expirationDate) = (text, now.addingTimeInterval(token.lifetime ?? 0))
                uid = token.subject
            } catch {
                if error.code == .userMismatch { throw error }
                // The next refresh brings another ID token; it needs the new refresh token.
                refusal = error
            }
        } else if scopes.isEmpty, let access, expirationDate <= now {
            (idToken, expirationDate) = (nil, access.expirationDate)
        }
        var successor = UserTokens(
            idToken: idToken,
            refreshToken: answer.refreshToken ?? tokens.refreshToken,
            expirationDate: expirationDate,
            accessTokens: access.map { [$0] } ?? []
        )
        successor.uid = uid
        if let refusal { throw refusal.bringing(successor) }
        return successor
    }

    /// Returns the user's current profile, from UserInfo or else from the ID token.
    ///
    /// UserInfo requires an access token for the scope `openid`; without one, a token for other scopes is tried.
    ///
    /// - Throws: `invalidCredential` if the provider refuses the access token or returns another user.
    public func profile(for tokens: UserTokens) async throws(AuthError) -> UserProfile {
        let (server, now) = (try await server(), dependencies.now())
        let token = try tokens.idToken.map { text throws(AuthError) in try IDToken(text) }
        let valid = tokens.accessTokens.filter { $0.expirationDate > now }
        let access = valid.first { $0.scopes.contains("openid") } ?? valid.first
        let claims = try await claims(of: token, access?.token, at: server, needingUserInfo: true)
        guard let profile = claims.profile(signedInAt: client.providerID) else {
            throw .malformed("the user's profile")
        }
        return profile
    }

    /// Ends the session at the OpenID provider (RFC 7009), which invalidates the refresh token and the access tokens.
    ///
    /// Nothing is sent if the provider does not support revocation, or supports it only for clients with a secret and
    /// this client has none.
    ///
    /// - Throws: The errors of fetching the discovery document; the first error of a revocation. An error for an access
    ///   token is ignored if there is a refresh token.
    public func revoke(_ tokens: UserTokens) async throws(AuthError) { try await revoke(tokens, through: backchannel) }

    private func revoke(_ tokens: UserTokens, through backchannel: Backchannel) async throws(AuthError) {
        let server = try await server()
        let revocation = Revocation(
            backchannel: backchannel,
            server: server,
            client: authentication(at: server)
        )
        noteKeptSession(revocation.endpoint.kept)
        try await revocation.end(tokens, at: dependencies.now())
    }

    /// Revokes the tokens of a sign-in that failed, which nobody keeps. Errors are ignored, and cancelling the caller's
    /// task does not cancel the call.
    func discard(_ tokens: UserTokens) async {
        let backchannel = Backchannel(http: backchannel.http.once(within: .seconds(5)))
        await Task { try? await revoke(tokens, through: backchannel) }.value
    }

    /// Returns the URL at which the user ends the browser's own session (OpenID Connect RP-Initiated Logout); nil if
    /// the provider has no such page. `signOut()` neither opens it nor waits for it: open it afterwards to end the
    /// browser's session as well.
    ///
    /// The URL names the client. It has no `id_token_hint`, which the standard recommends but does not require: the URL
    /// can be read in the arguments of the programs that open it, with or without the portal, and in the browser's
    /// history. The provider therefore prompts the user to confirm.
    ///
    /// - Parameter destination: The URL that the provider finally redirects the browser to; it must be registered for
    ///   this client.
    /// - Throws: The errors of fetching the discovery document.
    public func endSessionURL(returningTo destination: URL? = nil) async throws(AuthError) -> URL? {
        guard let endpoint = try await server().endSessionEndpoint else { return nil }
        var items = [(name: "client_id", value: client.clientID)]
        if let destination { items.append(("post_logout_redirect_uri", destination.absoluteString)) }
        return endpoint.adding(items)
    }

    /// Returns the tokens in a response, or nil if there are no tokens.
    static func tokens(
        in answer: Backchannel.Answer,
        of request: ServerRefusal.Request
    ) throws(AuthError) -> TokenAnswer? {
        switch answer {
        case .refused(let refusal): throw refusal.error(of: request)
        case .object(let object): TokenAnswer(object)
        }
    }

    /// Returns the claims of the ID token, overwritten by UserInfo's claims about the same user.
    private func claims(
        of token: IDToken?,
        _ accessToken: String?,
        at server: ServerMetadata,
        needingUserInfo needsUserInfo: Bool
    ) async throws(AuthError) -> UserClaims {
        var claims = UserClaims(members: token?.claims ?? .empty)
        var info: JSONObject?
        if let endpoint = server.userInfoEndpoint, let accessToken {
            do throws(AuthError) {
                // UserInfo is optional at a sign-in, so a slow endpoint must not make the sign-in fail.
                let http = needsUserInfo ? backchannel.http : backchannel.http.once(within: .seconds(5))
                info = try await Backchannel(http: http).userInfo(at: endpoint, accessToken: accessToken)
            } catch {
                if needsUserInfo { throw error }
            }
        }
        // Without a readable subject it is unknown whose profile it is.
        if let info, let subject = info.string("sub") {
            guard token == nil || subject == token?.subject else {
                throw AuthError(
                    .invalidCredential,
                    "The identity provider returned the profile of a user other than the ID token's."
                )
            }
            claims.members = claims.members.overwritten(byUserInfo: info)
        }
        return claims
    }
}

extension IDToken {
    /// The date when the token expires.
    fileprivate var expirationDate: Date { Date(timeIntervalSince1970: claims.moment("exp") ?? 0) }
}

extension UserTokens {
    /// Returns the tokens after an exchange of which only the refresh token can be used, if there is a new one.
    func renewed(by refreshToken: String?) -> UserTokens {
        UserTokens(
            idToken: idToken,
            refreshToken: refreshToken ?? self.refreshToken,
            expirationDate: expirationDate,
            accessTokens: []
        )
    }

    /// Returns the reason that the tokens cannot be refreshed.
    func cannotBeRefreshed(at now: Date) -> AuthError {
        guard expirationDate > now else {
            return AuthError(
                .userTokenExpired,
                "The session has expired, and the identity provider issued no refresh token. Sign in again."
            )
        }
        return AuthError(
            .operationNotAllowed,
            "The identity provider issued no refresh token, so the session ends when it expires. Request the scope "
                + "offline_access at the sign-in."
        )
    }
}
