/// A TV provider (MVPD) as an app's picker shows it, and how the programmer works with it.
public struct MVPD: Sendable, Hashable, Identifiable {
    /// A TV provider's part in the sign-in of a platform; there is none on Linux, so it changes nothing.
    @frozen
    public enum BoardingStatus: String, Sendable, Hashable, Codable {
        /// Shown in the platform's picker.
        case picker = "PICKER"
        /// Supported by the platform's sign-in.
        case supported = "SUPPORTED"
    }

    /// The TV provider's id.
    public let id: String
    /// The name for people.
    public let displayName: String
    /// The address of its logo.
    public let logoURL: String?
    /// The programmer's integration with it.
    public let integration: MVPDIntegration
    /// Whether it takes part in a platform's sign-in.
    public var enablePlatformServices = false
    /// Its part in a platform's sign-in.
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
    ///   - displayName: The name for people; nil: its id.
    ///   - logoURL: The address of its logo.
    ///   - integration: The programmer's integration with it; nil: the plainest.
    public init(_ id: String, displayName: String? = nil, logoURL: String? = nil, integration: MVPDIntegration? = nil) {
        self.id = id
        self.displayName = displayName ?? id
        self.logoURL = logoURL
        self.integration = integration ?? MVPDIntegration(mvpd: id)
    }
}
