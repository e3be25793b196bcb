internal import GLibSupport

/// A handle on one collection of items, a keyring.
///
/// Its methods block and throw as those of ``SecretService`` do: `.noSuchCollection` if it is gone, `.locked` while it is
/// locked. Handles are equal if they name the same path of the same service.
public struct SecretCollection: SecretServiceObject, Hashable {
    /// The D-Bus path of the collection.
    public let path: String
    let service: SecretService

    /// The name that a keyring application shows. One round trip.
    public func label(by deadline: Deadline? = nil) throws(SecretServiceError) -> String {
        try property("Label", "s", by: deadline).string
    }

    /// Whether secrets cannot be read or written before the collection is unlocked. One round trip.
    public func isLocked(by deadline: Deadline? = nil) throws(SecretServiceError) -> Bool {
        try property("Locked", "b", by: deadline).bool
    }

    /// All its items. One round trip.
    public func items(by deadline: Deadline? = nil) throws(SecretServiceError) -> [SecretItem] {
        try property("Items", "ao", by: deadline).strings.map(service.item(at:))
    }

    private func property(
        _ name: String,
        _ type: String,
        by deadline: Deadline?
    ) throws(SecretServiceError) -> Variant {
        try service.property(name, type, of: .collection, at: path, by: service.deadline(deadline))
    }

    /// Whether both name the same path of the same service object.
    public static func == (left: SecretCollection, right: SecretCollection) -> Bool {
        left.path == right.path && left.service === right.service
    }

    /// Hashes the path and the identity of the service.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(path)
        hasher.combine(ObjectIdentifier(service))
    }
}
