internal import CLibsecret

// Strings and object paths have passed `Wire` before they come here.
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

    /// A variant holding `content`.
    package static func boxed(_ content: Variant) -> Variant {
        unsafe content.withUnsafePointer { content in unsafe Variant(taking: g_variant_new_variant(content)) }
    }

    package static func tuple(_ members: Variant...) -> Variant {
        unsafe withPointers(members) { pointers, count in unsafe Variant(taking: g_variant_new_tuple(pointers, count)) }
    }

    /// An array of members that all have the D-Bus type `memberType`.
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
        // A GVariantType is nothing but the signature's characters.
        unsafe signature.withCString { characters in unsafe body(OpaquePointer(characters)) }
    }

    private static func withPointers<Result>(
        _ members: [Variant],
        _ body: (UnsafePointer<OpaquePointer?>?, gsize) -> Result
    ) -> Result {
        // The container takes references of its own, so the members need to live only until it is made.
        defer { withExtendedLifetime(members) {} }
        let pointers = unsafe members.map { member in
            unsafe member.withUnsafePointer { pointer in unsafe Optional(pointer) }
        }
        return unsafe pointers.withUnsafeBufferPointer { buffer in
            unsafe body(buffer.baseAddress, gsize(buffer.count))
        }
    }
}
