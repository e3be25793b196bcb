internal import CLibsecret

// Each of these requires that the value has the type in question; callers check a message's type once, as a whole.
extension Variant {
    package var count: Int {
        unsafe withUnsafePointer { value in unsafe Int(g_variant_n_children(value)) }
    }

    /// The member of a container, or what is inside a variant.
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

    /// Lends the bytes of an `ay`.
    package func withUnsafeBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        unsafe withUnsafePointer { value in
            var length: gsize = 0
            let start = unsafe g_variant_get_fixed_array(value, &length, 1)
            return unsafe body(UnsafeRawBufferPointer(start: start, count: Int(length)))
        }
    }
}
