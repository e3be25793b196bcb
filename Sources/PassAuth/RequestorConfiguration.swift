/// A programmer (requestor), and the providers (MVPDs) that it works with at present.
public struct RequestorConfiguration: Sendable, Hashable {
    /// The programmer's id.
    public let id: String
    /// The providers; a token of any other counts for nothing.
    public let providers: [ProviderIntegration]

    /// Makes a configuration.
    public init(id: String, providers: [ProviderIntegration]) {
        self.id = id
        self.providers = providers
    }

    /// The providers' ids.
    var mvpds: Set<String> { Set(providers.map(\.mvpd)) }

    func integration(with mvpd: String) -> ProviderIntegration? { providers.first { $0.mvpd == mvpd } }
}
