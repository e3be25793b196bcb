/// Has the names of types of GLib, GIO and libsecret, spelled exactly so. Where these meet the originals, a mention is
/// ambiguous.
public struct GError {
    /// Makes one.
    public init() {}
}

/// As above, for GIO.
public struct GCancellable {
    /// Makes one.
    public init() {}
}

/// As above, for libsecret.
public struct SecretSchema {
    /// Makes one.
    public init() {}
}
