internal import OpenIDConnect
internal import Synchronization

/// The OpenID providers that this call of the tool uses.
enum OpenIDProviders {
    private static let made = Mutex<[OpenIDConnect]>([])

    /// Creates the identity provider for a client.
    static func make(_ client: OpenIDClient) -> OpenIDConnect {
        let provider = OpenIDConnect(client)
        made.withLock { $0.append(provider) }
        return provider
    }

    /// A line for each provider that was not asked to end a session: it does not offer that, or not to clients without
    /// a secret.
    static var sessionsThatLast: [String] {
        made.withLock { $0 }.compactMap { provider in
            guard let kept = provider.keptSession else { return nil }
            let url = provider.client.issuerURL
            return switch kept {
            case .notOffered: "\(url) does not end sessions for an app: this one ends there by itself."
            case .notToPublicClients:
                "\(url) ends sessions only for a client with a secret: this one ends there by itself."
            }
        }
    }
}
