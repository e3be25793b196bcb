internal import OpenIDConnect
internal import SharedAuth

/// The construct-only properties of a `SharedAuthOAuthProvider`, without those of redirects.
struct OAuthSettings: Sendable, Equatable {
    var issuer: String?
    var authorizationEndpoint: String?
    var tokenEndpoint: String?
    var deviceEndpoint: String?
    var revocationEndpoint: String?
    var registrationEndpoint: String?
    var userEndpoint: String?
    var uidMember: String?
    var introspectionEndpoint: String?
    var clientID: String?
    var clientSecret: String?
    var clientName: String?
    var registrationToken: String?
    var scopes: [String]?
    var resources: [String]?

    /// Returns whether all settings are the same. The order of scopes and resources does not matter.
    func isSame(as other: OAuthSettings) -> Bool { sorted == other.sorted }

    private var sorted: OAuthSettings {
        var sorted = self
        (sorted.scopes, sorted.resources) = (scopes?.sorted(), resources?.sorted())
        return sorted
    }

    /// The client.
    ///
    /// - Throws: `operationNotAllowed` if a property is missing, or if there are no scopes or malformed ones.
    var client: OAuthClient {
        get throws(AuthError) {
            let scopes = try scopeSet(scopes, named: "The list of the identity provider's scopes")
            var client = try client(at: server, requesting: (scopes ?? []).sorted())
            client.resources = resources ?? []
            return client
        }
    }

    private func client(at server: OAuthServer, requesting scopes: [String]) throws(AuthError) -> OAuthClient {
        if let clientID {
            return OAuthClient(server, clientID: clientID, clientSecret: clientSecret, scopes: scopes)
        }
        guard let clientName else {
            throw .missing("neither a client id nor a name to register with", "client-id or client-name")
        }
        var registration = OAuthRegistration(clientName: clientName)
        registration.initialAccessToken = registrationToken
        return OAuthClient(server, registering: registration, scopes: scopes)
    }

    private var server: OAuthServer {
        get throws(AuthError) {
            guard let tokenEndpoint else {
                guard let issuer else { throw .missing("no server", "issuer or token-endpoint") }
                return OAuthServer(issuerURL: issuer, user: user ?? .published)
            }
            guard let user else {
                throw .missing("no URL that says who has signed in", "user-endpoint or introspection-endpoint")
            }
            return OAuthServer(
                authorizationEndpoint: authorizationEndpoint,
                tokenEndpoint: tokenEndpoint,
                deviceEndpoint: deviceEndpoint,
                revocationEndpoint: revocationEndpoint,
                registrationEndpoint: registrationEndpoint,
                issuer: issuer,
                user: user
            )
        }
    }

    /// The way to learn who has signed in; nil for the one in the server's metadata.
    private var user: OAuthUser? {
        if let userEndpoint { return .userInfo(at: userEndpoint, uid: uidMember) }
        return introspectionEndpoint.map { .introspection(at: $0) }
    }
}

extension AuthError {
    fileprivate static func missing(_ what: String, _ properties: String) -> AuthError {
        AuthError(
            .operationNotAllowed,
            "The identity provider for an OAuth server has \(what).",
            remedy: "Create the identity provider with \(properties)."
        )
    }
}
