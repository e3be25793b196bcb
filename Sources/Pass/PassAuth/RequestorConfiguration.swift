/// A programmer (requestor), and the TV providers (MVPDs) that it currently works with.
public struct RequestorConfiguration: Sendable, Hashable {
    /// The programmer's id.
    public let id: String
    /// The integrations with TV providers; tokens of any other TV provider are ignored.
    public let integrations: [MVPDIntegration]

    /// Creates a configuration.
    public init(id: String, integrations: [MVPDIntegration]) {
        self.id = id
        self.integrations = integrations
    }

    /// The TV providers' ids.
    var mvpds: Set<String> { Set(integrations.map(\.mvpd)) }

    func integration(with mvpd: String) -> MVPDIntegration? { integrations.first { $0.mvpd == mvpd } }
}

/// A programmer's integration with one TV provider (MVPD), from the programmer's configuration.
public struct MVPDIntegration: Sendable, Hashable {
    /// The TV provider's id.
    public let mvpd: String
    /// Indicates whether a token is valid only for the programmer that it was issued to (`authPerAggregator`).
    public let isPerRequestor: Bool
    /// Indicates whether the TV provider signs a user in without a prompt after a sign-in to another programmer
    /// (`passiveAuthnEnabled`).
    public let isPassive: Bool
    /// Indicates whether single sign-on is on for this pair of programmer and TV provider. If it is off, other
    /// programmers cannot use its tokens, and it cannot use theirs.
    public let allowsSingleSignOn: Bool

    /// Creates an integration.
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

    /// Indicates whether programmers share this TV provider's tokens.
    var isShared: Bool { allowsSingleSignOn && !isPerRequestor }
}

/// The TV provider (MVPD) selected for a programmer's apps on this device.
public struct MVPDSelection: Sendable, Hashable {
    /// The TV provider; nil if none was selected, or the selection was cancelled.
    public let mvpd: String?
    /// Indicates whether the last sign-in with it succeeded, so that the next one can skip the picker.
    public let canAuthenticate: Bool
}
