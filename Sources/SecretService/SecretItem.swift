internal import GLibSupport

/// A handle on one item, which may or may not exist.
///
/// Its methods block and throw as those of ``SecretService`` do: `.noSuchItem` once the item is gone, `.locked` while it is
/// locked. Each is one round trip. Handles are equal if they name the same path of the same service.
public struct SecretItem: SecretServiceObject, Hashable {
    /// The D-Bus path of the item.
    public let path: String
    let service: SecretService

    /// The attributes by which the item is found, those that the provider added included.
    ///
    /// They are not secret. Of an item that has been locked since the provider started, GNOME Keyring shows only hashes.
    public func attributes(by deadline: Deadline? = nil) throws(SecretServiceError) -> [String: String] {
        try property("Attributes", "a{ss}", by: deadline).stringDictionary
    }

    /// The name that a keyring application shows.
    public func label(by deadline: Deadline? = nil) throws(SecretServiceError) -> String {
        try property("Label", "s", by: deadline).string
    }

    /// Whether the secret cannot be read before the item is unlocked.
    public func isLocked(by deadline: Deadline? = nil) throws(SecretServiceError) -> Bool {
        try property("Locked", "b", by: deadline).bool
    }

    /// When the item was last changed, in seconds since 1970; some providers always say 0.
    public func modified(by deadline: Deadline? = nil) throws(SecretServiceError) -> UInt64 {
        try property("Modified", "t", by: deadline).uint64
    }

    private func property(
        _ name: String,
        _ type: String,
        by deadline: Deadline?
    ) throws(SecretServiceError) -> Variant {
        try service.property(name, type, of: .item, at: path, by: service.deadline(deadline))
    }

    /// Whether both name the same path of the same service object.
    public static func == (left: SecretItem, right: SecretItem) -> Bool {
        left.path == right.path && left.service === right.service
    }

    /// Hashes the path and the identity of the service.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(path)
        hasher.combine(ObjectIdentifier(service))
    }
}
