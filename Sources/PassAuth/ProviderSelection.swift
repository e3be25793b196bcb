/// The provider (MVPD) that a programmer's apps on this device are with.
public struct ProviderSelection: Sendable, Hashable {
    /// The provider; nil when none was chosen, or the choice was taken back.
    public let mvpd: String?
    /// Whether the last sign-in with it went well, so that the next one need not ask which provider.
    public let canAuthenticate: Bool
}
