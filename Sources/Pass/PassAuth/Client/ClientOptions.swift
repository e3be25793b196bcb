internal import Formats
internal import FoundationEssentials
internal import SharedAuth

/// The options of an AccessEnabler (`setOptions`), which are sent with every later request.
public struct ClientOptions: Sendable, Hashable {
    /// The app's profile.
    public var applicationProfile: String?
    /// The visitor's id in Adobe's Experience Cloud; an id with a control character is not sent.
    public var visitorID: String?
    /// Indicates whether the app itself shows a secure browser when a TV provider requires one.
    public var handlesSecureBrowser = false
    /// The description of the device.
    public var client: ClientInformation
    /// The `device_info` set in place of the whole description of the device, as base64.
    public private(set) var givenDeviceInformation: String?

    /// Creates options.
    public init(client: ClientInformation = .ofThisMachine()) {
        self.client = client
    }

    /// Sets options by Adobe's names: `applicationProfile`, `visitorID`, `handleSVC` (`true`, `false`) and
    /// `device_info`, base64 of a JSON object that replaces the whole description of the device.
    ///
    /// An option that is not named keeps its value; all are checked before any is set.
    /// - Throws: ``PassTokenError`` with code `invalidValue` for an unknown name, a value of the wrong kind, or a value
    ///   with a control character.
    public mutating func set(_ options: [String: String]) throws(PassTokenError) {
        var changed = self
        for (name, value) in options.sorted(by: { $0.key < $1.key }) {
            guard !value.hasControlCharacter else {
                throw PassTokenError(
                    .invalidValue,
                    "The option \(name) has a control character, which a header cannot carry."
                )
            }
            switch name {
            case "applicationProfile": changed.applicationProfile = value
            case "visitorID": changed.visitorID = value
            case "handleSVC":
                guard let flag = Bool(value) else {
                    throw PassTokenError(.invalidValue, "The option handleSVC is neither true nor false.")
                }
                changed.handlesSecureBrowser = flag
            case "device_info":
                guard let data = Data(base64Encoded: value),
                    case .object? = JSONValue(bytes: data)
                else {
                    throw PassTokenError(.invalidValue, "The option device_info is not base64 of a JSON object.")
                }
                changed.givenDeviceInformation = value
            default:
                throw PassTokenError(
                    .invalidValue,
                    "The option \(name) is unknown. Use applicationProfile, visitorID, handleSVC or device_info."
                )
            }
        }
        self = changed
    }

    /// The headers of a request of the SDK or REST API v1; the description of the device is URL-encoded in them.
    public var headers: [String: String] {
        let information = givenDeviceInformation.map(ClientInformation.urlEncoded) ?? client.headerValue
        var headers = ["X-Device-Info": information]
        // A value that was not set by name is not checked yet, and a line end in it would start another header.
        if let visitorID, !visitorID.hasControlCharacter { headers["AP-Visitor-Identifier"] = visitorID }
        return headers
    }
}

extension String {
    fileprivate var hasControlCharacter: Bool { unicodeScalars.contains { $0.value < 0x20 || $0.value == 0x7F } }
}
