/// How one programmer works with one provider (MVPD), as the programmer's configuration says.
public struct ProviderIntegration: Sendable, Hashable {
    /// The provider's id.
    public let mvpd: String
    /// Whether a token is good for the programmer alone that it was issued to (`authPerAggregator`).
    public let isPerRequestor: Bool
    /// Whether the provider signs a person in without asking, once another programmer has (`passiveAuthnEnabled`).
    public let isPassive: Bool
    /// Whether single sign-on is on for this pair of programmer and provider. Off, its tokens are offered to no other
    /// programmer, and no other's are accepted.
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

    /// Whether programmers share this provider's tokens.
    var isShared: Bool { allowsSingleSignOn && !isPerRequestor }
}
