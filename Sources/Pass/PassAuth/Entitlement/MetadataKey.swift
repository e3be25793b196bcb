public import DesktopSupport
// The value of an answer.
@_exported public import enum Formats.JSONValue

/// A key of `getMetadata`.
@frozen
public enum MetadataKey: Sendable, Hashable {
    /// The expiry of the authentication token, in the tokens' date format.
    case authentication
    /// The expiry of the authorization of a resource, in the tokens' date format.
    case authorization(resource: String)
    /// The device's id, as servers see it; only if the programmer's configuration allows it.
    case deviceID
    /// The TV provider's metadata about the user with this name, such as `zip` or `maxRating`.
    case user(String)

    /// Creates a key from Adobe's dictionary; nil if the dictionary names no known key.
    public init?(_ arguments: [String: String]) {
        switch arguments[EntitlementConstant.METADATA_OPCODE_KEY].flatMap({ Int($0) }) {
        case EntitlementConstant.METADATA_AUTHENTICATION:
            self = .authentication
        case EntitlementConstant.METADATA_AUTHORIZATION:
            guard let resource = arguments[EntitlementConstant.METADATA_RESOURCE_ID_KEY] else { return nil }
            self = .authorization(resource: resource)
        case EntitlementConstant.METADATA_DEVICE_ID:
            self = .deviceID
        case EntitlementConstant.METADATA_USER_META:
            guard let name = arguments[EntitlementConstant.METADATA_USER_META_KEY] else { return nil }
            self = .user(name)
        default:
            return nil
        }
    }

    /// Adobe's operation code.
    public var operation: Int {
        switch self {
        case .authentication: EntitlementConstant.METADATA_AUTHENTICATION
        case .authorization: EntitlementConstant.METADATA_AUTHORIZATION
        case .deviceID: EntitlementConstant.METADATA_DEVICE_ID
        case .user: EntitlementConstant.METADATA_USER_META
        }
    }

    /// Adobe's dictionary.
    public var arguments: [String: String] {
        var arguments = [EntitlementConstant.METADATA_OPCODE_KEY: "\(operation)"]
        switch self {
        case .authorization(let resource): arguments[EntitlementConstant.METADATA_RESOURCE_ID_KEY] = resource
        case .user(let name): arguments[EntitlementConstant.METADATA_USER_META_KEY] = name
        case .authentication, .deviceID: break
        }
        return arguments
    }
}

/// The result of `getMetadata`.
public struct MetadataAnswer: Sendable, Hashable {
    /// The requested key.
    public let key: MetadataKey
    /// The value; nil if it is missing, or if no user is signed in.
    public let value: JSONValue?
    /// Indicates whether the value is encrypted; ``MetadataDecryptionKey`` decrypts it.
    public let isEncrypted: Bool

    init(_ key: MetadataKey, _ value: JSONValue? = nil, isEncrypted: Bool = false) {
        self.key = key
        self.value = value
        self.isEncrypted = isEncrypted
    }
}

extension MetadataAnswer: Redacted {
    /// States whether there is a value; the value is personal and not shown.
    public var description: String { "MetadataAnswer(\(value == nil ? "none" : "some"))" }
}
