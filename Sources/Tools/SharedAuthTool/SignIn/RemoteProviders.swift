internal import OpenIDConnect
internal import SharedAuth
internal import Synchronization

/// The OpenID providers and OAuth 2 servers that this call of the tool uses.
enum RemoteProviders {
    private struct Made: Sendable {
        let url: String
        let keptSession: @Sendable () -> OpenIDConnect.KeptSession?
    }

    private static let made = Mutex<[Made]>([])

    /// Creates the identity provider for a client.
    static func make(_ client: OpenIDClient) -> OpenIDConnect {
        let provider = OpenIDConnect(client)
        made.withLock { $0.append(Made(url: client.issuerURL) { provider.keptSession }) }
        return provider
    }

    /// Notes an identity provider, for ``sessionsThatLast``, and returns it.
    static func noting(_ provider: OAuth2) -> OAuth2 {
        made.withLock { $0.append(Made(url: provider.serverURL) { provider.keptSession }) }
        return provider
    }

    /// A line for each provider that was not asked to end a session: it does not offer that, or not to clients without
    /// a secret.
    static var sessionsThatLast: [String] {
        made.withLock { $0 }.compactMap { provider in
            switch provider.keptSession() {
            case .notOffered: "\(provider.url) does not end sessions for an app: this one ends there by itself."
            case .notToPublicClients:
                "\(provider.url) ends sessions only for a client with a secret: this one ends there by itself."
            case nil: nil
            }
        }
    }
}
