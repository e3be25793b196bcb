/// Declares names of types of GLib, GIO and libsecret, spelled exactly the same. If the originals are visible too,
/// using a name is ambiguous.
public struct GError {
    /// Creates an instance.
    public init() {}
}

/// The same for GIO.
public struct GCancellable {
    /// Creates an instance.
    public init() {}
}

/// The same for libsecret.
public struct SecretSchema {
    /// Creates an instance.
    public init() {}
}
