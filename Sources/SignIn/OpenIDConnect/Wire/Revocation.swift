internal import FoundationEssentials
internal import SharedAuth

/// The end of a session at its server (RFC 7009).
struct Revocation: Sendable {
    let backchannel: Backchannel
    let server: ServerMetadata
    let client: ClientAuthentication

    /// The endpoint, or the reason why nothing is sent.
    var endpoint: (address: WebAddress?, kept: KeptSession?) {
        guard let address = server.revocationEndpoint else { return (nil, .notOffered) }
        let isOpen = client.secret != nil || server.revokesForPublicClients
        return isOpen ? (address, nil) : (nil, .notToPublicClients)
    }

    /// Revokes the refresh token and the access tokens that have not expired, if the server offers it to the client.
    ///
    /// - Throws: The first error of a revocation. An error for an access token is ignored if there is a refresh token.
    func end(_ tokens: UserTokens, at now: Date) async throws(AuthError) {
        guard let endpoint = endpoint.address else { return }
        // Few servers also revoke the access tokens issued for a refresh token (RFC 7009 §2.1).
        let all =
            tokens.accessTokens.filter { $0.expirationDate > now }.map { ($0.token, "access_token") }
            + (tokens.refreshToken.map { [($0, "refresh_token")] } ?? [])
        var failure: AuthError?
        for (token, kind) in all {
            do throws(AuthError) {
                try await backchannel.revoke(
                    [("token", token), ("token_type_hint", kind)],
                    to: endpoint,
                    as: client,
                    "the response to a sign-out"
                )
            } catch {
                // Many servers do not revoke access tokens; revoking the refresh token ends the session.
                let isIgnored = kind == "access_token" && tokens.refreshToken != nil
                if !isIgnored { failure = failure ?? error }
            }
        }
        if let failure { throw failure }
    }
}
