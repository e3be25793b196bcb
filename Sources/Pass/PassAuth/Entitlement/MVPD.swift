/// A TV provider (MVPD) as an app's picker shows it, and the programmer's integration with it.
public struct MVPD: Sendable, Hashable, Identifiable {
    /// A TV provider's support for a platform sign-in; Linux has none, so it has no effect.
    @frozen
    public enum BoardingStatus: String, Sendable, Hashable, Codable {
        /// Shown in the platform's picker.
        case picker = "PICKER"
        /// Supported by the platform sign-in.
        case supported = "SUPPORTED"
    }

    /// The TV provider's id.
    public let id: String
    /// The name to show to the user.
    public let displayName: String
    /// The address of its logo.
    public let logoURL: String?
    /// The programmer's integration with it.
    public let integration: MVPDIntegration
    /// Indicates whether it supports a platform sign-in.
    public var enablePlatformServices = false
    /// Its support for a platform sign-in.
    public var boardingStatus: BoardingStatus?
    /// Indicates whether it is a temporary pass: access without an account for a limited time.
    public var isTemporary = false
    /// Indicates whether all users count as signed in and authorized, because the TV provider is out of service
    /// (AuthN-All).
    public var isDegraded = false
    /// Indicates whether its login page must be shown in a secure browser, not in a view of the app.
    public var demandsSecureBrowser = false

    /// Creates a TV provider.
    ///
    /// - Parameters:
    ///   - id: The TV provider's id.
    ///   - displayName: The name to show to the user; nil: its id.
    ///   - logoURL: The address of its logo.
    ///   - integration: The programmer's integration with it; nil: the defaults.
    public init(_ id: String, displayName: String? = nil, logoURL: String? = nil, integration: MVPDIntegration? = nil) {
        self.id = id
        self.displayName = displayName ?? id
        self.logoURL = logoURL
        self.integration = integration ?? MVPDIntegration(mvpd: id)
    }
}
