internal import FoundationEssentials
internal import SharedAuth

/// A server at which users sign in: an OpenID provider or a plain OAuth 2 server.
protocol SignInTarget: Sendable {
    var providerID: String { get }
    var clientID: String { get }
    /// True if the server issues ID tokens.
    var isOpenID: Bool { get }
    var backchannel: Backchannel { get }
    var dependencies: Dependencies { get }

    /// The resource servers that the access tokens are for (RFC 8707); empty if the server decides.
    var resources: [String] { get }

    /// Returns the endpoints.
    func server() async throws(AuthError) -> ServerMetadata
    /// Returns the scopes that the app asks for.
    func scopes(at server: ServerMetadata) -> [String]
    /// Returns the scope to add, if the server has one for sessions that can be refreshed, and has not refused it.
    func addedScope(at server: ServerMetadata) -> String?
    /// Notes that the server may have refused the added scope, which is then left out.
    func noteRefusalOfAddedScope()
    /// Returns the client's credentials.
    func authentication(at server: ServerMetadata) -> ClientAuthentication
    /// Checks the tokens of a sign-in and creates its credential.
    func credential(
        of answer: TokenAnswer,
        asking scopes: [String],
        rawNonce: String?,
        maxAge: Int?,
        at server: ServerMetadata
    ) async throws(AuthError) -> OAuthCredential
    /// Ends the session of tokens that nobody keeps, if the server can do that.
    func discard(_ tokens: UserTokens) async
    /// Notes the error of a sign-in.
    func ended(by error: AuthError) async
}

extension SignInTarget {
    func addedScope(at server: ServerMetadata) -> String? { nil }

    func noteRefusalOfAddedScope() {}

    /// Returns the error that names the added scope, if a token request was refused perhaps because of it. The code was
    /// spent, so the user has to sign in again.
    func refusal(
        of added: String?,
        in answer: Backchannel.Answer,
        to request: ServerRefusal.Request
    ) -> AuthError? {
        guard let added, case .refused(let refusal) = answer,
            AddedScope.isProbablyRefused(by: refusal, of: request)
        else { return nil }
        noteRefusalOfAddedScope()
        return AddedScope.error(added, refusal)
    }

    /// Checks the tokens of a sign-in and creates its credential. If they cannot be used, ends their session.
    func usableCredential(
        of answer: TokenAnswer,
        asking scopes: [String],
        rawNonce: String?,
        maxAge: Int?,
        at server: ServerMetadata
    ) async throws(AuthError) -> OAuthCredential {
        do throws(AuthError) {
            try answer.checkType()
            return try await credential(of: answer, asking: scopes, rawNonce: rawNonce, maxAge: maxAge, at: server)
        } catch {
            await discard(answer, asking: scopes)
            throw error
        }
    }

    var resources: [String] { [] }

    func ended(by error: AuthError) async {}

    /// The parameters that name the resource servers in a request for tokens.
    var resourceParameters: [(name: String, value: String)] { resources.map { ("resource", $0) } }

    /// Ends the session of an answer that is not kept.
    func discard(_ answer: TokenAnswer, asking scopes: [String]) async {
        let access = answer.access(asked: scopes, now: dependencies.now(), otherwise: nil)
        await discard(UserTokens(refreshToken: answer.refreshToken, accessTokens: access.map { [$0] } ?? []))
    }

    /// Ends the session that a sign-in's credential carries.
    func discard(_ credential: AuthCredential) async {
        if let tokens = credential.content.tokens { await discard(tokens) }
    }
}

extension OpenIDConnect: SignInTarget {
    var providerID: String { client.providerID }
    var clientID: String { client.clientID }
    var isOpenID: Bool { true }

    func scopes(at server: ServerMetadata) -> [String] {
        client.scopes.contains("openid") ? client.scopes : ["openid"] + client.scopes
    }

    func credential(
        of answer: TokenAnswer,
        asking scopes: [String],
        rawNonce: String?,
        maxAge: Int?,
        at server: ServerMetadata
    ) async throws(AuthError) -> OAuthCredential {
        guard let idToken = answer.idToken else {
            throw AuthError(
                .webInternalError,
                "The identity provider returned no ID token, although the scope openid was requested. Check what the "
                    + "client is registered for."
            )
        }
        let occasion = IDTokenRules.Occasion.signIn(rawNonce: rawNonce, maxAge: maxAge)
        let token = try await checked(idToken, with: answer.accessToken, on: occasion, at: server)
        return OAuthCredential(
            providerID: providerID,
            idToken: idToken,
            rawNonce: rawNonce,
            accessToken: answer.access(asked: scopes, now: dependencies.now(), otherwise: token.lifetime),
            refreshToken: answer.refreshToken
        )
    }
}
