internal import FoundationEssentials
public import SharedAuth
internal import SharedAuthHTTP

extension OAuth2 {
    /// Signs a user in with the access token of ``OAuthSignIn``, ``DeviceSignIn``, or the app's own flow.
    ///
    /// - Throws: `operationNotAllowed` for another kind of credential, or one without an access token;
    ///   `invalidCredential` if the server refuses the token; `webInternalError` if the server does not say who
    ///   signed in.
    public func signIn(
        with credential: AuthCredential,
        tenantID: String?
    ) async throws(AuthError) -> IdentityGrant {
        guard case .oauth(let content) = credential.content, let access = content.accessToken else {
            throw AuthError(
                .operationNotAllowed,
                "The identity provider \(issuer) signs users in only with an access token. Sign in with OAuthSignIn or "
                    + "DeviceSignIn."
            )
        }
        let session = try await session(of: content)
        let (profile, claims) = try await session.holder(of: access.token, in: nil)
        await session.remember()
        var grant = IdentityGrant(
            profile: profile,
            tokens: UserTokens(refreshToken: content.refreshToken, accessTokens: [access]),
            isNewUser: false,
            details: IdentityGrant.Details(
                username: claims?.string("preferred_username"),
                profile: claims?.members,
                credential: content
            )
        )
        grant.issuer = session.issuer
        return grant
    }

    /// The seconds after which an access token is refreshed if the server gives no lifetime.
    static let usualLifetime = 3600.0

    /// Exchanges the refresh token for new tokens. If the server rotates refresh tokens, the present one is no longer
    /// valid. An access token without a lifetime is refreshed after an hour.
    ///
    /// - Throws: `userTokenExpired` if the server ended the session (`invalid_grant`; for some scopes, or for other
    ///   resources than those of the sign-in, a refresh as at the sign-in has to get it, too); `requiresRecentLogin` if
    ///   the server refuses to renew it otherwise; `operationNotAllowed` if there is no refresh token, or if the server
    ///   grants no access token for the scopes or resources; the reason that the response is refused, with the new
    ///   refresh token as `AuthErrorDetails.tokens`.
    public func refresh(_ tokens: UserTokens, scopes: Set<String>) async throws(AuthError) -> UserTokens {
        guard let refreshToken = tokens.refreshToken else {
            let now = dependencies.now()
            if tokens.expirationDate <= now { throw tokens.cannotBeRefreshed(at: now) }
            throw AuthError(
                .operationNotAllowed,
                "The identity provider issued no refresh token, so the session ends with its access token."
            )
        }
        let (client, server) = (try await client(), try await server())
        switch try await exchange(refreshToken, for: scopes, client.resources, at: server) {
        case .object(let object): return try successor(of: tokens, by: object, for: scopes)
        case .refused(let refusal):
            // The caller asks once more without the scopes, before a refusal of these ends anything.
            guard scopes.isEmpty else { throw refusal.error(of: .narrowedRefresh) }
            let usual = await resourcesOfSignIn(by: client)
            guard Set(usual) != Set(client.resources) else { throw refusal.error(of: .refresh) }
            let error = refusal.error(of: .narrowedRefresh)
            guard refusal.verdict(of: .narrowedRefresh) == .unclear else { throw error }
            throw try await confirmed(error, of: tokens, refreshToken, for: usual, at: server)
        }
    }

    private func exchange(
        _ refreshToken: String,
        for scopes: Set<String>,
        _ resources: [String],
        at server: ServerMetadata
    ) async throws(AuthError) -> Backchannel.Answer {
        func ask(_ server: ServerMetadata) async throws(AuthError) -> Backchannel.Answer {
            let client = try await authentication(at: server)
            return try await backchannel.exchange(refreshToken, for: scopes, resources, at: server, as: client)
        }
        do throws(AuthError) {
            return try await ask(server)
        } catch {
            // The endpoint may have moved. Nothing was exchanged.
            guard error.underlying is MissingPage, let present = try? await self.server(isStale: true),
                present.tokenEndpoint != server.tokenEndpoint
            else { throw error }
            return try await ask(present)
        }
    }

    /// Returns the tokens after a refresh. The exchange is done, so an error has the refresh token that is now valid.
    private func successor(
        of tokens: UserTokens,
        by object: JSONObject,
        for scopes: Set<String>
    ) throws(AuthError) -> UserTokens {
        let newRefreshToken = TokenAnswer.refreshToken(in: object)
        do throws(AuthError) {
            let answer = TokenAnswer(object)
            try answer?.checkType()
            let now = dependencies.now()
            let lifetime = Self.usualLifetime
            guard let access = answer?.access(refreshing: tokens, for: scopes, now: now, otherwise: lifetime) else {
                throw .malformed("the response to a refresh has no access_token")
            }
            return UserTokens(refreshToken: newRefreshToken ?? tokens.refreshToken, accessTokens: [access])
        } catch {
            throw error.bringing(tokens.renewed(by: newRefreshToken))
        }
    }

    /// Returns the error of a refresh for other resources than those of the sign-in, which may have ended: a refresh
    /// for those tells.
    private func confirmed(
        _ error: AuthError,
        of tokens: UserTokens,
        _ refreshToken: String,
        for resources: [String],
        at server: ServerMetadata
    ) async throws(AuthError) -> AuthError {
        switch try await exchange(refreshToken, for: [], resources, at: server) {
        case .refused(let refusal): return refusal.error(of: .refresh)
        case .object(let object):
            // Its access token is for resources that this app did not ask for.
            return AuthError(.operationNotAllowed, error.message, remedy: error.remedy)
                .bringing(tokens.renewed(by: TokenAnswer.refreshToken(in: object)))
        }
    }

    /// Returns the resources that the sign-in named, as far as the project's record tells.
    private func resourcesOfSignIn(by client: OAuthClient) async -> [String] {
        guard let records else { return client.resources }
        do throws(AuthError) {
            return try await records.read()?.resources ?? []
        } catch {
            return client.resources
        }
    }

    /// Returns what the server says about the holder of the access token.
    ///
    /// - Throws: `userTokenExpired` if the session has no refresh token and the server says that the access token is no
    ///   longer valid; `requiresRecentLogin` if the server refuses it without saying why; `invalidCredential` if the
    ///   server refuses it and the session has a refresh token.
    public func profile(for tokens: UserTokens) async throws(AuthError) -> UserProfile {
        let now = dependencies.now()
        guard let access = tokens.accessTokens.first(where: { $0.expirationDate > now }) ?? tokens.accessTokens.first
        else { throw .malformed("the tokens of the session") }
        return try await holder(of: access.token, in: tokens).profile
    }

    /// Ends the session at the server (RFC 7009). Nothing is sent if the server does not support it, or supports it
    /// only for clients with a secret and this client has none.
    ///
    /// - Throws: The errors of fetching the metadata; the first error of a revocation.
    public func revoke(_ tokens: UserTokens) async throws(AuthError) { try await revoke(tokens, through: backchannel) }

    private func revoke(_ tokens: UserTokens, through backchannel: Backchannel) async throws(AuthError) {
        let server = try await server()
        let revocation = Revocation(
            backchannel: backchannel,
            server: server,
            client: try await authentication(at: server)
        )
        noteKeptSession(revocation.endpoint.kept)
        try await revocation.end(tokens, at: dependencies.now())
    }

    /// Revokes tokens that nobody keeps. Errors are ignored, and cancelling the caller's task does not cancel the call.
    ///
    /// Some servers return the same access token for each sign-in: it is not revoked if a slot may have it.
    func discard(_ tokens: UserTokens) async {
        let backchannel = Backchannel(http: backchannel.http.once(within: .seconds(5)))
        await Task {
            if tokens.refreshToken == nil, await mayBeStored(tokens) { return }
            try? await revoke(tokens, through: backchannel)
        }.value
    }

    /// Stores how the server is reached, for programs that find the session and do not know the app. The sign-in does
    /// not depend on it.
    private func remember() async {
        guard let records, let client = try? await client() else { return }
        try? await records.remember(client, freshMetadata.flatMap { $0.isStorable ? $0 : nil })
    }
}

extension OAuth2 {
    /// Asks the server who holds an access token. Returns the profile, and the claims if the server was asked by this
    /// module.
    ///
    /// - Parameter tokens: The tokens of the session; nil at a sign-in.
    private func holder(
        of accessToken: String,
        in tokens: UserTokens?
    ) async throws(AuthError) -> (profile: UserProfile, claims: JSONObject?) {
        let (client, server) = (try await client(), try await server())
        let holder: TokenHolder
        switch client.server.user.source {
        case .call(let call?):
            do throws(AuthError) {
                return (try await call(accessToken), nil)
            } catch {
                throw AccessTokenRefusal.ofCall(error, in: tokens)
            }
        case .call(nil):
            throw AuthError(
                .operationNotAllowed,
                "Only the app that signed in knows how to ask \(serverURL) for the user's profile."
            )
        case .page(let page, let member):
            let address = try WebAddress(protected: page, "The URL in OAuthServer.user")
            let answer = try await backchannel.answer(from: address, accessToken, in: tokens)
            holder = try TokenHolder(answer, uid: member.map { [$0] } ?? ["sub", "id"])
        case .introspection(let endpoint):
            let address = try WebAddress(protected: endpoint, "The URL in OAuthServer.user")
            holder = try await introspection(of: accessToken, at: address, server, in: tokens)
        case .published:
            if let page = server.userInfoEndpoint {
                let answer = try await backchannel.answer(from: page, accessToken, in: tokens)
                holder = try TokenHolder(answer, uid: ["sub"])
            } else if let endpoint = server.introspectionEndpoint {
                holder = try await introspection(of: accessToken, at: endpoint, server, in: tokens)
            } else {
                throw AuthError(
                    .operationNotAllowed,
                    "The metadata of \(serverURL) names no endpoint that says who has signed in.",
                    remedy: "Set OAuthServer.user to a page of the server that says it."
                )
            }
        }
        guard let profile = holder.claims.profile(signedInAt: client.providerID) else {
            throw .malformed("the user's profile")
        }
        return (profile, holder.claims.members)
    }

    private func introspection(
        of accessToken: String,
        at endpoint: WebAddress,
        _ server: ServerMetadata,
        in tokens: UserTokens?
    ) async throws(AuthError) -> TokenHolder {
        let authentication = try await authentication(at: server)
        let answer = try await backchannel.post(
            [("token", accessToken), ("token_type_hint", "access_token")],
            to: endpoint,
            as: authentication,
            "the introspection of the access token"
        )
        switch answer {
        case .refused(let refusal): throw refusal.error(of: .introspection)
        case .object(let object):
            guard let isActive = object.bool("active") else {
                throw .malformed("the introspection of the access token")
            }
            guard isActive else { throw AccessTokenRefusal.dead.error(in: tokens) }
            if let client = object.string("client_id"), client != authentication.clientID {
                throw AuthError(
                    .invalidCredential,
                    "The access token was issued to another client. Sign in again."
                )
            }
            return try TokenHolder(object, uid: ["sub", "username"])
        }
    }
}

extension Backchannel {
    /// Returns a server's answer to the holder of an access token.
    ///
    /// - Parameter tokens: The tokens of the session; nil at a sign-in.
    fileprivate func answer(
        from address: WebAddress,
        _ accessToken: String,
        in tokens: UserTokens?
    ) async throws(AuthError) -> JSONObject {
        let response = try await response(at: address, holding: accessToken)
        if let refusal = AccessTokenRefusal(response) { throw refusal.error(in: tokens) }
        guard response.isSuccess, let object = JSONObject(lenient: response.body) else {
            throw Self.failure(of: response, "the user's profile")
        }
        return object
    }
}
