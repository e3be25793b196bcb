/// Something that can be locked: a ``Collection`` or an ``Item``.
public protocol SecretServiceObject: Sendable {
    /// The D-Bus path of the object.
    var path: String { get }
}
