/// A TV provider (MVPD) as an app's picker shows it, and how the programmer works with it.
public struct MVPD: Sendable, Hashable, Identifiable {
    /// How a TV provider takes part in the sign-in of a platform; there is none on Linux, so it changes nothing.
    @frozen
    public enum BoardingStatus: String, Sendable, Hashable, Codable {
        /// Shown in the platform's picker.
        case picker = "PICKER"
        /// Supported by the platform's sign-in.
        case supported = "SUPPORTED"
    }

    /// The TV provider's id.
    public let id: String
    /// What people call it.
    public let displayName: String
    /// Where its logo is.
    public let logoURL: String?
    /// How the programmer works with it.
    public let integration: MVPDIntegration
    /// Whether it takes part in a platform's sign-in.
    public var enablePlatformServices = false
    /// How it takes part in a platform's sign-in.
    public var boardingStatus: BoardingStatus?
    /// Whether it is a temporary pass: no account, good for a while.
    public var isTemporary = false
    /// Whether everyone counts as signed in and permitted, because the TV provider is out of order (AuthN-All).
    public var isDegraded = false
    /// Whether its login page is to be shown in a secure browser, not in a view of the app.
    public var demandsSecureBrowser = false

    /// Makes a TV provider.
    ///
    /// - Parameters:
    ///   - id: The TV provider's id.
    ///   - displayName: What people call it; nil: its id.
    ///   - logoURL: Where its logo is.
    ///   - integration: How the programmer works with it; nil: in the plainest way.
    public init(_ id: String, displayName: String? = nil, logoURL: String? = nil, integration: MVPDIntegration? = nil) {
        self.id = id
        self.displayName = displayName ?? id
        self.logoURL = logoURL
        self.integration = integration ?? MVPDIntegration(mvpd: id)
    }
}
