internal import FoundationEssentials

/// What Adobe Pass is told about the device: the client information, sent as base64 of a JSON object.
///
/// What is not known is left out, never made up. The raw machine id is no part of it.
public struct ClientInformation: Sendable, Hashable {
    /// The kinds of device that Pass tells apart.
    public enum HardwareType: String, Sendable, Hashable, Codable {
        case desktop = "Desktop"
        case laptop = "Laptop"
        case tablet = "Tablet"
        case settopBox = "SetTopBox"
    }

    /// The product, such as the firmware names it.
    public var model: String?
    /// Who made it.
    public var manufacturer: String?
    /// The product's version.
    public var version: String?
    /// What kind of device it is.
    public var hardwareType: HardwareType
    /// The system's name, which is `Linux`.
    public let systemName = "Linux"
    /// The distribution's version.
    public var systemVersion: String?
    /// The app.
    public var applicationID: String?
    /// What the app calls itself in requests.
    public var userAgent: String?
    /// How the device is connected, such as `WiFi`.
    public var connectionType: String?

    /// Makes client information of nothing but these.
    public init(hardwareType: HardwareType = .desktop, model: String? = nil, applicationID: String? = nil) {
        self.hardwareType = hardwareType
        self.model = model
        self.applicationID = applicationID
    }

    /// What this machine's firmware and system say of themselves; `root` is `/` but for tests.
    public static func ofThisMachine(applicationID: String? = nil, root: String = "/") -> ClientInformation {
        let facts = MachineFacts(root: root)
        var information = ClientInformation(
            hardwareType: facts.isPortable ? .laptop : .desktop,
            model: facts.firmware("product_name"),
            applicationID: applicationID
        )
        information.manufacturer = facts.firmware("sys_vendor")
        information.version = facts.firmware("product_version")
        information.systemVersion = facts.systemVersion
        return information
    }

    /// The value of the header `X-Device-Info`: base64 of JSON, with its keys in order.
    public var headerValue: String {
        let values: [(String, String?)] = [
            ("applicationId", applicationID), ("connectionType", connectionType), ("manufacturer", manufacturer),
            ("model", model), ("osFamily", systemName), ("osName", systemName), ("osVersion", systemVersion),
            ("primaryHardwareType", hardwareType.rawValue), ("userAgent", userAgent), ("version", version),
        ]
        let object = Dictionary(uniqueKeysWithValues: values.compactMap { key, value in value.map { (key, $0) } })
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        // A dictionary of strings always encodes.
        return ((try? encoder.encode(object)) ?? Data()).base64EncodedString()
    }

    /// The same for a query or a form, where base64's own characters have to be escaped.
    public var queryValue: String {
        headerValue.map { ["+": "%2B", "/": "%2F", "=": "%3D"][$0] ?? String($0) }.joined()
    }

    /// The kind of device as tracking has it.
    var trackingDeviceType: String {
        switch hardwareType {
        case .desktop, .laptop: "computer"
        case .tablet: "tablet"
        case .settopBox: "unknown"
        }
    }
}
