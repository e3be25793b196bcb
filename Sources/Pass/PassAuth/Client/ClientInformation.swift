internal import Formats
internal import FoundationEssentials

/// The client information: a description of the device for Adobe Pass, sent as base64 of a JSON object.
///
/// An unknown value is left out, never invented; only ``model``, which is mandatory, always has a value. The raw
/// machine id is not included.
public struct ClientInformation: Sendable, Hashable {
    /// The kinds of device that Pass knows; its list is closed.
    ///
    /// Pass has no kind for laptops: use ``desktop``.
    @frozen
    public enum HardwareType: String, Sendable, Hashable, Codable, CaseIterable {
        case camera = "Camera"
        case dataCollectionTerminal = "DataCollectionTerminal"
        case desktop = "Desktop"
        case embeddedNetworkModule = "EmbeddedNetworkModule"
        case eReader = "eReader"
        case gamesConsole = "GamesConsole"
        case geolocationTracker = "GeolocationTracker"
        case glasses = "Glasses"
        case mediaPlayer = "MediaPlayer"
        case mobilePhone = "MobilePhone"
        case paymentTerminal = "PaymentTerminal"
        case pluginModem = "PluginModem"
        case settopBox = "SetTopBox"
        case television = "TV"
        case tablet = "Tablet"
        case wirelessHotspot = "WirelessHotspot"
        case wristwatch = "Wristwatch"
        case unknown = "Unknown"

        /// Not supported: Pass has no kind for laptops, and refuses the word.
        @available(*, unavailable, renamed: "desktop")
        public static var laptop: HardwareType { .desktop }
    }

    /// The product name from the firmware; else the machine's architecture, which every Linux system knows, as in
    /// Adobe's own code. Empty text counts as unknown.
    public var model: String
    /// The manufacturer.
    public var manufacturer: String?
    /// The product's version.
    public var version: String?
    /// The kind of device.
    public var hardwareType: HardwareType
    /// The system's name, which is `Linux`.
    public let systemName = "Linux"
    /// The distribution's version.
    public var systemVersion: String?
    /// The app's id.
    public var applicationID: String?
    /// The user agent of the app's requests.
    public var userAgent: String?
    /// The device's connection, such as `WiFi`; nil: `PassRESTBackend` determines it for each request.
    public var connectionType: String?

    /// Creates client information with only these values.
    public init(hardwareType: HardwareType = .desktop, model: String? = nil, applicationID: String? = nil) {
        self.hardwareType = hardwareType
        self.model = model ?? MachineFacts.architecture
        self.applicationID = applicationID
    }

    /// Returns the description of this machine from its firmware and system; `root` is `/` except in tests.
    public static func ofThisMachine(applicationID: String? = nil, root: String = "/") -> ClientInformation {
        let facts = MachineFacts(root: root)
        var information = ClientInformation(
            hardwareType: facts.isTablet ? .tablet : .desktop,
            model: facts.model,
            applicationID: applicationID
        )
        information.manufacturer = facts.firmware("sys_vendor")
        information.version = facts.firmware("product_version")
        information.systemVersion = facts.systemVersion
        return information
    }

    /// The base64 text of the JSON, with sorted keys: the value of the header `X-Device-Info` in REST API v2, and of
    /// the option `device_info` of an AccessEnabler.
    public var base64: String {
        let values: [(String, String?)] = [
            ("applicationId", applicationID), ("connectionType", connectionType), ("manufacturer", manufacturer),
            ("model", model.isEmpty ? MachineFacts.architecture : model), ("osFamily", systemName),
            ("osName", systemName), ("osVersion", systemVersion), ("primaryHardwareType", hardwareType.rawValue),
            ("userAgent", userAgent), ("version", version),
        ]
        let object = Dictionary(uniqueKeysWithValues: values.compactMap { key, value in value.map { (key, $0) } })
        // A dictionary of strings always encodes.
        return Data((try? StableJSON.encode(object)) ?? []).base64EncodedString()
    }

    /// The value of the header `X-Device-Info` for the SDK's own servers and REST API v1: base64, URL-encoded, as
    /// Adobe's page "Passing client information" specifies for header, query and form alike. (The page of REST API v2
    /// specifies ``base64``.)
    public var headerValue: String { Self.urlEncoded(base64) }

    /// The same for a query or a form.
    public var queryValue: String { headerValue }

    /// Returns base64 with the characters escaped that have another meaning in URLs.
    static func urlEncoded(_ base64: String) -> String {
        base64.map { ["+": "%2B", "/": "%2F", "=": "%3D"][$0] ?? String($0) }.joined()
    }

    /// The kind of device in tracking.
    var trackingDeviceType: String {
        switch hardwareType {
        case .desktop: "computer"
        case .tablet, .eReader: "tablet"
        case .mobilePhone: "mobile"
        case .gamesConsole: "gameconsole"
        default: "unknown"
        }
    }
}
