/// Something that can be locked: a ``SecretCollection`` or an ``SecretItem``.
public protocol SecretServiceObject: Sendable {
    /// The D-Bus path of the object.
    var path: String { get }

    /// Whether nothing can be read or written before it is unlocked. One round trip.
    func isLocked(by deadline: Deadline?) throws(SecretServiceError) -> Bool
}
