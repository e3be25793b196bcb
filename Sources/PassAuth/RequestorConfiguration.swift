/// A programmer (requestor), and the TV providers (MVPDs) that it works with at present.
public struct RequestorConfiguration: Sendable, Hashable {
    /// The programmer's id.
    public let id: String
    /// The TV providers; a token of any other counts for nothing.
    public let integrations: [MVPDIntegration]

    /// Makes a configuration.
    public init(id: String, integrations: [MVPDIntegration]) {
        self.id = id
        self.integrations = integrations
    }

    /// The TV providers' ids.
    var mvpds: Set<String> { Set(integrations.map(\.mvpd)) }

    func integration(with mvpd: String) -> MVPDIntegration? { integrations.first { $0.mvpd == mvpd } }
}

/// A programmer's integration with one TV provider (MVPD), as the programmer's configuration says.
public struct MVPDIntegration: Sendable, Hashable {
    /// The TV provider's id.
    public let mvpd: String
    /// Whether a token is good for the programmer alone that it was issued to (`authPerAggregator`).
    public let isPerRequestor: Bool
    /// Whether the TV provider signs a person in without asking, once another programmer has (`passiveAuthnEnabled`).
    public let isPassive: Bool
    /// Whether single sign-on is on for this pair of programmer and TV provider. Off, its tokens are offered to no
    /// other programmer, and no other's are accepted.
    public let allowsSingleSignOn: Bool

    /// Makes an integration.
    public init(
        mvpd: String,
        isPerRequestor: Bool = false,
        isPassive: Bool = false,
        allowsSingleSignOn: Bool = true
    ) {
        self.mvpd = mvpd
        self.isPerRequestor = isPerRequestor
        self.isPassive = isPassive
        self.allowsSingleSignOn = allowsSingleSignOn
    }

    /// Whether programmers share this TV provider's tokens.
    var isShared: Bool { allowsSingleSignOn && !isPerRequestor }
}

/// The TV provider (MVPD) that a programmer's apps on this device are with.
public struct MVPDSelection: Sendable, Hashable {
    /// The TV provider; nil when none was chosen, or the choice was taken back.
    public let mvpd: String?
    /// Whether the last sign-in with it went well, so that the next one need not ask which TV provider.
    public let canAuthenticate: Bool
}
