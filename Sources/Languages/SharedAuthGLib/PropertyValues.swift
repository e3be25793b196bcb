internal import CSharedAuthGLib

/// Values of properties, for the functions that return them.
extension ObjectCore {
    /// Returns a text, which the caller frees.
    func text(of property: some RawRepresentable<guint>) -> OwnedText? {
        unsafe read(property, fundamental(16)) { value in unsafe g_value_dup_string(value) }
    }

    /// Returns a list of texts, which the caller frees.
    func texts(of property: some RawRepresentable<guint>) -> OwnedTexts? {
        unsafe read(property, g_strv_get_type()) { value in
            unsafe g_value_dup_boxed(value)?.assumingMemoryBound(to: OwnedText?.self)
        }
    }

    /// Returns an error, which the caller frees.
    func failure(of property: some RawRepresentable<guint>) -> UnsafeMutablePointer<GError>? {
        unsafe read(property, g_error_get_type()) { value in
            unsafe g_value_dup_boxed(value)?.assumingMemoryBound(to: GError.self)
        }
    }

    /// Returns an object, with a reference that the caller owns.
    func object(of property: some RawRepresentable<guint>) -> UnsafeMutableRawPointer? {
        unsafe read(property, shared_auth_glue_object_type()) { value in unsafe g_value_dup_object(value) }
    }

    /// Returns a truth value.
    func flag(of property: some RawRepresentable<guint>) -> gboolean {
        unsafe read(property, fundamental(5)) { value in unsafe g_value_get_boolean(value) }
    }

    /// Returns a number.
    func number(of property: some RawRepresentable<guint>) -> guint {
        unsafe read(property, fundamental(7)) { value in unsafe g_value_get_uint(value) }
    }

    /// Returns a member of an enumeration.
    func choice(of property: some RawRepresentable<guint>, _ type: GType) -> UInt32 {
        unsafe read(property, type) { value in unsafe UInt32(g_value_get_enum(value)) }
    }

    private func read<Value>(
        _ property: some RawRepresentable<guint>,
        _ type: GType,
        _ take: (UnsafePointer<GValue>) -> Value
    ) -> Value {
        var value = GValue()
        unsafe g_value_init(&value, type)
        defer { unsafe g_value_unset(&value) }
        unsafe getProperty(property.rawValue, into: &value)
        return unsafe take(&value)
    }
}

/// Returns the fundamental type with a number, as the macro `G_TYPE_MAKE_FUNDAMENTAL`.
func fundamental(_ number: GType) -> GType { number << 2 }
