/// Something that can be locked: a ``SecretCollection`` or an ``SecretItem``.
public protocol SecretServiceObject: Sendable {
    /// The D-Bus path of the object.
    var path: String { get }
}
