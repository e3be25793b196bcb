internal import CLibsecret

/// One D-Bus value.
@safe package final class Variant: @unchecked Sendable {
    // A GVariant that is not floating never changes and counts its references atomically.
    private let pointer: OpaquePointer

    /// Takes over the reference that a GLib function returned, floating or not.
    package init(taking pointer: OpaquePointer) {
        unsafe self.pointer = g_variant_take_ref(pointer)
    }

    /// Adds a reference to a value that belongs to someone else.
    package init(borrowing pointer: OpaquePointer) {
        unsafe self.pointer = g_variant_ref(pointer)
    }

    deinit {
        unsafe g_variant_unref(pointer)
    }

    /// Lends the value to a GLib function that adds its own reference if it keeps it.
    package func withUnsafePointer<Result>(_ body: (OpaquePointer) -> Result) -> Result {
        defer { withExtendedLifetime(self) {} }
        return unsafe body(pointer)
    }

    /// The D-Bus signature.
    package var type: String {
        unsafe String(cString: g_variant_get_type_string(pointer))
    }
}
