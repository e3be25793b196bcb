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

    /// A programmer, as far as stored tokens tell how it works with its providers: one of its own that is kept from others
    /// is enough.
    func configuration(of requestor: String, with stored: [ProviderIntegration]) -> RequestorConfiguration {
        RequestorConfiguration(
            id: requestor,
            providers: Set(mvpd.isEmpty ? stored.map(\.mvpd) : mvpd).sorted().map { mvpd in
                stored.first { $0.mvpd == mvpd && $0.isPerRequestor } ?? ProviderIntegration(mvpd: mvpd)
            }
        )
    }
}
