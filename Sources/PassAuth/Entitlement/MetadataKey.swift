/// A key of `getMetadata`.
@frozen
public enum MetadataKey: Sendable, Hashable {
    /// When the authentication token expires, as tokens write dates.
    case authentication
    /// When the authorization of a resource expires, as tokens write dates.
    case authorization(resource: String)
    /// The device's id, as servers see it; only where the programmer's configuration allows it.
    case deviceID
    /// The TV provider's metadata of the person under this name, such as `zip` or `maxRating`.
    case user(String)

    /// Reads Adobe's dictionary; nil for one that asks for nothing known.
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

/// The answer of `getMetadata`.
public struct MetadataAnswer: Sendable, Hashable {
    /// The key that was asked for.
    public let key: MetadataKey
    /// The value; nil where there is none, or nobody is signed in.
    public let value: MetadataValue?
    /// Whether the value is encrypted; ``MetadataDecryptionKey`` reads it.
    public let isEncrypted: Bool

    init(_ key: MetadataKey, _ value: MetadataValue? = nil, isEncrypted: Bool = false) {
        self.key = key
        self.value = value
        self.isEncrypted = isEncrypted
    }
}

extension MetadataAnswer: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Whether there is a value; nothing of it, as it is personal.
    public var description: String { "MetadataAnswer(\(value == nil ? "none" : "some"))" }
    /// As ``description``.
    public var debugDescription: String { description }
    /// Nothing: it is personal.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}
