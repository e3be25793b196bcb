internal import ArgumentParser
internal import PassAuth

/// The providers that a programmer works with.
struct ProviderOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "A provider that the programmer works with; may be repeated. Without it, every provider that a token is stored "
                + "of counts.",
            valueName: "id"
        )
    )
    var mvpd: [String] = []
}

extension ProviderOptions {
    /// The providers that count, where these tokens are stored.
    func providers(of stored: [StoredToken]) -> Set<String> {
        Set(mvpd.isEmpty ? stored.map(\.token.mvpd) : mvpd)
    }

    /// A programmer, as far as stored tokens tell how it works with its providers.
    func configuration(of requestor: String, with stored: [StoredToken]) -> RequestorConfiguration {
        RequestorConfiguration(
            id: requestor,
            providers: providers(of: stored).sorted().map { mvpd in
                let own = stored.first { $0.token.mvpd == mvpd && $0.token.requestor == requestor }
                return ProviderIntegration(mvpd: mvpd, isPerRequestor: own?.isShared == false)
            }
        )
    }
}
