/// What tokens are bound to: an id of this device, as the app or the group of apps sees it.
///
/// Only ``fingerprint`` goes to servers. Printed, an identity shows its kind alone.
public struct DeviceIdentity: Sendable, Hashable {
    /// Whose view of the device it is.
    public let kind: Kind
    /// The id: a UUID, in upper case as Apple's systems write it; for a custom identity whatever the app chose.
    public let uuid: String
    /// The SHA-256 digest of ``uuid`` in lower-case hexadecimal: what tokens carry.
    public let fingerprint: String

    init(_ kind: Kind, _ uuid: String) {
        self.kind = kind
        self.uuid = uuid
        fingerprint = Digest.fingerprint(of: uuid)
    }
}

extension DeviceIdentity: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The kind alone.
    public var description: String { "DeviceIdentity(\(kind))" }
    /// The kind alone.
    public var debugDescription: String { description }
    /// The kind alone.
    public var customMirror: Mirror { Mirror(self, children: ["kind": kind]) }
}
