internal import FoundationEssentials

/// The options of an AccessEnabler (`setOptions`): what goes with every later request, whatever it belongs to.
public struct ClientOptions: Sendable, Hashable {
    /// The app's profile.
    public var applicationProfile: String?
    /// The visitor's id in Adobe's Experience Cloud; one with a control character goes with no request.
    public var visitorID: String?
    /// Whether the app shows a secure browser itself when a TV provider demands one.
    public var handlesSecureBrowser = false
    /// The description of the device.
    public var client: ClientInformation
    /// The `device_info` that was given in place of all that is known of the device, as base64.
    public private(set) var givenDeviceInformation: String?

    /// Makes options.
    public init(client: ClientInformation = .ofThisMachine()) {
        self.client = client
    }

    /// Takes options over under Adobe's names: `applicationProfile`, `visitorID`, `handleSVC` (`true`, `false`) and
    /// `device_info`, base64 of a JSON object that replaces all that would be said of the device.
    ///
    /// An option that is not named keeps its value; all are checked before any is taken.
    /// - Throws: `PassTokenError` with code `invalidValue` for a name that is none of these, or a value that is none of
    ///   its kind, or has a control character.
    public mutating func set(_ options: [String: String]) throws(PassTokenError) {
        var changed = self
        for (name, value) in options.sorted(by: { $0.key < $1.key }) {
            guard !value.hasControlCharacter else {
                throw PassTokenError(
                    .invalidValue,
                    "The option \(name) has a control character, which no header carries."
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
                    (try? JSONDecoder().decode([String: JSONLeaf].self, from: data)) != nil
                else {
                    throw PassTokenError(.invalidValue, "The option device_info is not base64 of a JSON object.")
                }
                changed.givenDeviceInformation = value
            default:
                throw PassTokenError(
                    .invalidValue,
                    "There is no option \(name); there are applicationProfile, visitorID, handleSVC and device_info."
                )
            }
        }
        self = changed
    }

    /// The headers that go with a request of the SDK or REST API v1; what is said of the device is URL-encoded in them.
    public var headers: [String: String] {
        let information = givenDeviceInformation.map(ClientInformation.urlEncoded) ?? client.headerValue
        var headers = ["X-Device-Info": information]
        // One that was not given by name is not checked yet, and a line end in it would begin another header.
        if let visitorID, !visitorID.hasControlCharacter { headers["AP-Visitor-Identifier"] = visitorID }
        return headers
    }
}

extension String {
    fileprivate var hasControlCharacter: Bool { unicodeScalars.contains { $0.value < 0x20 || $0.value == 0x7F } }
}

/// A value of any kind, of which only matters that it is one.
private struct JSONLeaf: Decodable {
    init(from decoder: any Decoder) throws {}
}
