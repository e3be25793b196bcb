internal import OpenIDConnect
internal import SharedAuth
internal import Synchronization

/// The OpenID providers and OAuth 2 servers that this call of the tool uses.
enum RemoteProviders {
    private static let noted = Mutex<[any RemoteProvider]>([])

    /// Creates the identity provider for a client, and notes it.
    static func make(_ client: OpenIDClient) -> OpenIDConnect { noting(OpenIDConnect(client)) }

    /// Notes an identity provider, for ``sessionsThatLast``, and returns it.
    static func noting<Provider: RemoteProvider>(_ provider: Provider) -> Provider {
        noted.withLock { $0.append(provider) }
        return provider
    }

    /// A line for each provider that was not asked to end a session: it does not offer that, or not to clients without
    /// a secret.
    static var sessionsThatLast: [String] {
        noted.withLock { $0 }.compactMap { provider in
            switch provider.keptSession {
            case .notOffered: "\(provider.serverURL) does not end sessions for an app: this one ends there by itself."
            case .notToPublicClients:
                "\(provider.serverURL) ends sessions only for a client with a secret: this one ends there by itself."
            case nil: nil
            }
        }
    }
}
