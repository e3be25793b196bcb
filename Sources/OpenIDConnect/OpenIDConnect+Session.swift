public import FoundationEssentials
public import SharedAuth
internal import SharedAuthHTTP

extension OpenIDConnect {
    /// Signs a user in with the ID token of ``OpenIDSignIn``, of ``DeviceSignIn``, or of the app's own flow.
    ///
    /// The profile is what UserInfo says, too; without an answer of it, it is what the ID token says.
    ///
    /// - Throws: `operationNotAllowed` for a credential of another kind, or one without an ID token; `invalidCredential` for an ID
    ///   token with a wrong issuer, audience, signature or date, or if UserInfo answers about another user; `missingOrInvalidNonce`,
    ///   `malformedJWT`.
    public func signIn(
        with credential: AuthCredential,
        tenantID: String?
    ) async throws(AuthError) -> IdentityGrant {
        guard case .oauth(let content) = credential.content, let idToken = content.idToken else {
            throw AuthError(
                .operationNotAllowed,
                "The identity provider \(issuer) signs users in with an ID token alone. Sign in with OpenIDSignIn or "
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
        // The ID token is enough to sign in, and the code is used up; a reload of the profile tries again.
        let claims = try await claims(of: token, content.accessToken?.token, at: server, needingUserInfo: false)
        guard let profile = claims.profile(signedInAt: client.providerID) else { throw .malformed("the ID token") }
        return IdentityGrant(
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
    }

    /// Exchanges the refresh token for new tokens. Where the provider rotates refresh tokens, the present one is then used up.
    ///
    /// An ID token that comes along is checked, but for its dates by this machine's clock. If none comes, the present one stays
    /// until it is about to expire; if one is refused, or cannot be checked, it stays, too.
    ///
    /// - Throws: `userTokenExpired` if the provider ended the session (`invalid_grant`), or if it expired and cannot be refreshed;
    ///   `userMismatch` for another user's ID token; why another one is refused, with the other new tokens as
    ///   `AuthErrorDetails.tokens`.
    public func refresh(_ tokens: UserTokens, scopes: Set<String>) async throws(AuthError) -> UserTokens {
        guard let refreshToken = tokens.refreshToken else { throw tokens.cannotBeRefreshed(at: dependencies.now()) }
        let server = try await server()
        var form = [(name: "grant_type", value: "refresh_token"), ("refresh_token", refreshToken)]
        if !scopes.isEmpty { form.append(("scope", scopes.sorted().joined(separator: " "))) }
        let answer = try await Backchannel(http: backchannel.http.patient).post(
            form,
            to: server.tokenEndpoint,
            as: authentication(at: server),
            "new tokens"
        )
        guard let answer = try Self.tokens(in: answer, of: .refresh) else {
            throw .malformed("the answer to a refresh")
        }
        return try await successor(of: tokens, by: answer, for: scopes, at: server)
    }

    /// The tokens after a refresh. The exchange has happened: what can be kept of it is kept.
    private func successor(
        of tokens: UserTokens,
        by answer: TokenAnswer,
        for scopes: Set<String>,
        at server: ServerMetadata
    ) async throws(AuthError) -> UserTokens {
        let (now, former) = (dependencies.now(), tokens.idToken.flatMap { try? IDToken($0) })
        let asked = scopes.isEmpty ? tokens.accessTokens.first?.scopes ?? [] : scopes
        let access = answer.access(asked: asked, now: now, otherwise: former?.lifetime ?? 3600)
        var (idToken, expirationDate) = (tokens.idToken, tokens.expirationDate)
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
                // The next refresh, for which the new refresh token is needed, brings another.
                refusal = error
            }
        } else if scopes.isEmpty, let access, expirationDate.timeIntervalSince(now) <= Self.lastMinutes {
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

    /// In these seconds before its end, an ID token is not handed out any more.
    private static let lastMinutes: TimeInterval = 5 * 60

    /// The profile as it stands: what UserInfo says, else the ID token.
    ///
    /// UserInfo takes an access token for the scope `openid`; one for other scopes is tried if there is no such token.
    ///
    /// - Throws: `invalidCredential` if the provider does not take the access token, or answers about another user.
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

    /// Ends the session at the OpenID provider (RFC 7009): refresh token and access tokens are then invalid.
    ///
    /// Nothing is sent if the provider does not support that, or says that it supports it for clients with a secret alone, and
    /// this client has none.
    public func revoke(_ tokens: UserTokens) async throws(AuthError) {
        let server = try await server()
        guard let endpoint = server.revocationEndpoint else { return noteKeptSession(.notOffered) }
        guard client.clientSecret != nil || server.revokesForPublicClients else {
            return noteKeptSession(.notToPublicClients)
        }
        // Few providers revoke what was issued for a refresh token along with it (RFC 7009 §2.1).
        let now = dependencies.now()
        let access = tokens.accessTokens.filter { $0.expirationDate > now }.map { ($0.token, "access_token") }
        var failure: AuthError?
        for (token, kind) in access + (tokens.refreshToken.map { [($0, "refresh_token")] } ?? []) {
            do throws(AuthError) {
                try await backchannel.notify(
                    [("token", token), ("token_type_hint", kind)],
                    to: endpoint,
                    as: authentication(at: server),
                    "the answer to a sign-out"
                )
            } catch {
                // Many revoke no access tokens; where there is a refresh token, the session ends with that.
                let isIgnored = kind == "access_token" && tokens.refreshToken != nil
                if !isIgnored { failure = failure ?? error }
            }
        }
        if let failure { throw failure }
    }

    /// Returns the address at which the person ends the session in the browser, too (OpenID Connect RP-Initiated
    /// Logout); nil if the provider has no such page. `signOut()` neither opens it nor waits for it: open it afterwards
    /// if the browser's session is to end as well.
    ///
    /// The address names the client, and has no ID token as a hint (`id_token_hint`), which the standard recommends and does not ask
    /// for: an address can be read in the arguments of the programs that open it, by portal or not, and in the browser's history. So
    /// the provider asks the person whether to end the session.
    ///
    /// - Parameter destination: where the provider sends the browser in the end; registered there for this client.
    /// - Throws: what keeps discovery from being fetched.
    public func endSessionURL(returningTo destination: URL? = nil) async throws(AuthError) -> URL? {
        guard let endpoint = try await server().endSessionEndpoint else { return nil }
        var items = [(name: "client_id", value: client.clientID)]
        if let destination { items.append(("post_logout_redirect_uri", destination.absoluteString)) }
        return endpoint.adding(items)
    }

    /// The tokens of an answer; nil if they are missing.
    static func tokens(
        in answer: Backchannel.Answer,
        of request: ServerRefusal.Request
    ) throws(AuthError) -> TokenAnswer? {
        switch answer {
        case .refused(let refusal): throw refusal.error(of: request)
        case .object(let object): try TokenAnswer(object)
        }
    }

    /// Returns the claims of the ID token, and over them those of UserInfo about the same user.
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
                // A sign-in does not fail by the time that an endpoint takes which it can do without.
                let http = needsUserInfo ? backchannel.http : backchannel.http.once(within: .seconds(5))
                info = try await Backchannel(http: http).userInfo(at: endpoint, accessToken: accessToken)
            } catch {
                if needsUserInfo { throw error }
            }
        }
        if let info {
            guard let subject = info.string("sub"), token == nil || subject == token?.subject else {
                throw AuthError(
                    .invalidCredential,
                    "The identity provider answered with the profile of another user than the ID token's."
                )
            }
            claims.members = claims.members.overwritten(byUserInfo: info)
        }
        return claims
    }
}

extension IDToken {
    /// When it expires.
    fileprivate var expirationDate: Date { Date(timeIntervalSince1970: claims.seconds("exp") ?? 0) }
}

extension UserTokens {
    /// Why there is nothing to refresh with.
    fileprivate func cannotBeRefreshed(at now: Date) -> AuthError {
        guard expirationDate > now else {
            return AuthError(
                .userTokenExpired,
                "The session has expired, and the identity provider gave no refresh token. Sign in again."
            )
        }
        return AuthError(
            .operationNotAllowed,
            "The identity provider gave no refresh token: the session cannot be refreshed, and ends when it expires. Ask for "
                + "offline_access at the sign-in."
        )
    }
}
