package import SharedAuth

/// An identity provider whose server may keep a session that the app has asked it to end.
package protocol RemoteProvider: IdentityProvider {
    /// The URL that names the server.
    var serverURL: String { get }
    /// The reason why the last revocation was skipped; nil if there was none, or if it was not skipped.
    var keptSession: KeptSession? { get }
}

/// The reason that a session was not revoked at the server.
package enum KeptSession: Sendable {
    /// The server has no revocation endpoint.
    case notOffered
    /// The server accepts revocation only from clients with a secret, and this one has none.
    case notToPublicClients
}

extension OpenIDConnect: RemoteProvider {
    package var serverURL: String { client.issuerURL }
}

extension OAuth2: RemoteProvider {}

/// The identity providers of stored sessions.
package enum RemoteIssuer {
    /// Returns the identity provider that issued a stored session; nil if the issuer is neither an OpenID provider nor an
    /// OAuth 2 server.
    ///
    /// - Parameters:
    ///   - store: The store of the project's records, in which clients of OAuth 2 servers are.
    ///   - secret: Returns the client secret for a server, by the URL that names it.
    package static func provider(
        named issuer: String,
        in store: any RecordStore,
        project: String,
        secret: (_ serverURL: String) -> String?
    ) -> (any RemoteProvider)? {
        guard var client = OpenIDClient(issuer: issuer) else {
            return OAuth2(issuer: issuer, in: store, project: project, secret: secret)
        }
        client.clientSecret = secret(client.issuerURL)
        return OpenIDConnect(client)
    }
}
