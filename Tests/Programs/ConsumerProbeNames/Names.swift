/// A name of GLib. This module declares such names exactly as GLib, GIO and libsecret spell them: if the originals
/// are visible too, using a name is ambiguous.
public struct GError {
    /// Creates an instance.
    public init() {}
}

/// A name of GIO.
public struct GCancellable {
    /// Creates an instance.
    public init() {}
}

/// A name of libsecret.
public struct SecretSchema {
    /// Creates an instance.
    public init() {}
}
