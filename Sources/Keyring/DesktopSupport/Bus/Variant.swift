internal import CGLibSecret

/// A D-Bus value.
@safe package final class Variant: @unchecked Sendable {
    // A GVariant that is not floating is immutable, and its reference count is atomic.
    private let pointer: OpaquePointer

    /// Takes ownership of the reference that a GLib function returned, floating or not.
    package init(taking pointer: OpaquePointer) {
        unsafe self.pointer = g_variant_take_ref(pointer)
    }

    /// Retains a value that belongs to someone else.
    package init(borrowing pointer: OpaquePointer) {
        unsafe self.pointer = g_variant_ref(pointer)
    }

    deinit {
        unsafe g_variant_unref(pointer)
    }

    /// Passes the value's pointer to a GLib function that retains the value if it keeps it.
    package func withUnsafePointer<Result>(_ body: (OpaquePointer) -> Result) -> Result {
        defer { withExtendedLifetime(self) {} }
        return unsafe body(pointer)
    }

    /// The D-Bus signature.
    package var type: String {
        unsafe String(cString: g_variant_get_type_string(pointer))
    }
}

// Callers validate strings and object paths first: GLib aborts the process for an invalid one.
extension Variant {
    package static func string(_ text: String) -> Variant {
        unsafe Variant(taking: g_variant_new_string(text))
    }

    package static func objectPath(_ path: String) -> Variant {
        unsafe Variant(taking: g_variant_new_object_path(path))
    }

    package static func bool(_ value: Bool) -> Variant {
        unsafe Variant(taking: g_variant_new_boolean(value ? 1 : 0))
    }

    package static func uint32(_ value: UInt32) -> Variant {
        unsafe Variant(taking: g_variant_new_uint32(value))
    }

    package static func bytes(_ buffer: UnsafeRawBufferPointer) -> Variant {
        unsafe withType("y") { type in
            unsafe Variant(taking: g_variant_new_fixed_array(type, buffer.baseAddress, gsize(buffer.count), 1))
        }
    }

    /// Creates a variant that contains `content`.
    package static func boxed(_ content: Variant) -> Variant {
        unsafe content.withUnsafePointer { content in unsafe Variant(taking: g_variant_new_variant(content)) }
    }

    package static func tuple(_ members: Variant...) -> Variant {
        unsafe withPointers(members) { pointers, count in unsafe Variant(taking: g_variant_new_tuple(pointers, count)) }
    }

    /// Creates an array of members that all have the D-Bus type `memberType`.
    package static func array(of memberType: String, _ members: [Variant]) -> Variant {
        unsafe withPointers(members) { pointers, count in
            unsafe withType(memberType) { type in unsafe Variant(taking: g_variant_new_array(type, pointers, count)) }
        }
    }

    package static func objectPaths(_ paths: [String]) -> Variant {
        array(of: "o", paths.map(objectPath))
    }

    package static func entry(_ key: String, _ value: Variant) -> Variant {
        unsafe string(key).withUnsafePointer { key in
            unsafe value.withUnsafePointer { value in unsafe Variant(taking: g_variant_new_dict_entry(key, value)) }
        }
    }

    /// An `a{ss}`.
    package static func stringDictionary(_ dictionary: [String: String]) -> Variant {
        array(of: "{ss}", dictionary.map { key, value in entry(key, string(value)) })
    }

    private static func withType<Result>(_ signature: String, _ body: (OpaquePointer) -> Result) -> Result {
        // A GVariantType is just the signature's characters.
        unsafe signature.withCString { characters in unsafe body(OpaquePointer(characters)) }
    }

    private static func withPointers<Result>(
        _ members: [Variant],
        _ body: (UnsafePointer<OpaquePointer?>?, gsize) -> Result
    ) -> Result {
        // The container retains the members, so they need to live only until it is created.
        defer { withExtendedLifetime(members) {} }
        let pointers = unsafe members.map { member in
            unsafe member.withUnsafePointer { pointer in unsafe Optional(pointer) }
        }
        return unsafe pointers.withUnsafeBufferPointer { buffer in
            unsafe body(buffer.baseAddress, gsize(buffer.count))
        }
    }
}

// The value must have the type in question; callers check a message's type once, as a whole.
extension Variant {
    package var count: Int {
        unsafe withUnsafePointer { value in unsafe Int(g_variant_n_children(value)) }
    }

    /// Returns a member of a container, or the content of a variant.
    package subscript(index: Int) -> Variant {
        unsafe withUnsafePointer { value in unsafe Variant(taking: g_variant_get_child_value(value, gsize(index))) }
    }

    package var children: [Variant] {
        (0..<count).map { index in self[index] }
    }

    /// The text of a string, object path or signature.
    package var string: String {
        unsafe withUnsafePointer { value in unsafe String(cString: g_variant_get_string(value, nil)) }
    }

    package var bool: Bool {
        unsafe withUnsafePointer { value in unsafe g_variant_get_boolean(value) != 0 }
    }

    package var uint32: UInt32 {
        unsafe withUnsafePointer { value in unsafe g_variant_get_uint32(value) }
    }

    package var uint64: UInt64 {
        unsafe withUnsafePointer { value in unsafe UInt64(g_variant_get_uint64(value)) }
    }

    /// The members of an array of strings or object paths.
    package var strings: [String] {
        children.map(\.string)
    }

    /// The entries of an `a{ss}`.
    package var stringDictionary: [String: String] {
        Dictionary(children.map { entry in (entry[0].string, entry[1].string) }) { first, _ in first }
    }

    /// Passes the bytes of an `ay` to `body`.
    package func withUnsafeBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        unsafe withUnsafePointer { value in
            var length: gsize = 0
            let start = unsafe g_variant_get_fixed_array(value, &length, 1)
            return unsafe body(UnsafeRawBufferPointer(start: start, count: Int(length)))
        }
    }
}
