internal import CSharedAuthGLib
internal import FoundationEssentials
internal import SharedAuth

// Conversions between C and Swift values. An invalid argument logs a critical, as in GLib's own functions, and the call
// does nothing.

/// Logs a critical: a caller of the function violated the rule.
func critical(_ function: StaticString, _ rule: String) {
    let name = "\(function)".prefix { $0 != "(" }
    unsafe g_return_if_fail_warning("SharedAuth", String(name), rule)
}

/// Returns a required string. For NULL and for invalid UTF-8, logs a critical and returns nil.
func text(_ pointer: CText?, _ name: String, _ function: StaticString) -> String? {
    guard let pointer = unsafe pointer else {
        critical(function, "\(name) != NULL")
        return nil
    }
    guard let text = unsafe String(validatingCString: pointer) else {
        critical(function, "g_utf8_validate (\(name), -1, NULL)")
        return nil
    }
    return text
}

/// Returns an optional string: `.some(nil)` for NULL. For invalid UTF-8, logs a critical and returns nil.
func optionalText(_ pointer: CText?, _ name: String, _ function: StaticString) -> String?? {
    guard unsafe pointer != nil else { return .some(nil) }
    return unsafe text(pointer, name, function).map { .some($0) }
}

/// Returns whether a pointer is an object of a type; if not, logs a critical.
func isObject(_ pointer: UnsafeMutableRawPointer?, _ type: GType, _ rule: String, _ function: StaticString) -> Bool {
    if unsafe shared_auth_glue_is(pointer, type) != 0 { return true }
    critical(function, rule)
    return false
}

/// Returns the strings of a NULL-terminated array; nil for NULL. What is not valid UTF-8 becomes U+FFFD, which no rule
/// for a name allows.
func texts(_ pointer: UnsafePointer<CText?>?) -> [String]? {
    guard let pointer = unsafe pointer else { return nil }
    var texts: [String] = []
    var index = 0
    while let item = unsafe pointer[index] {
        unsafe texts.append(String(cString: item))
        index += 1
    }
    return texts
}

extension UnsafePointer<GValue> {
    /// The string in the value; nil for NULL. What is not valid UTF-8 becomes U+FFFD, which no rule for a name allows: it
    /// must not count as no string, for which a default applies.
    var text: String? { unsafe g_value_get_string(self).map { unsafe String(cString: $0) } }

    /// The strings in the value; nil for NULL.
    var texts: [String]? {
        let strings = unsafe g_value_get_boxed(self)?.assumingMemoryBound(to: CText?.self)
        return unsafe SharedAuthGLib.texts(UnsafePointer<CText?>(strings))
    }
}

extension UnsafeMutablePointer<GValue> {
    /// Sets the strings in the value; nil leaves the value unchanged.
    func setTexts(_ texts: [String]?) {
        guard let texts else { return }
        let strings = unsafe g_strv_builder_new()
        for text in texts { unsafe g_strv_builder_add(strings, text) }
        unsafe g_value_take_boxed(self, g_strv_builder_end(strings))
        unsafe g_strv_builder_unref(strings)
    }
}

/// Returns a copy that the caller frees with `g_free`; NULL for nil.
func copy(_ text: String?) -> OwnedText? { unsafe g_strdup(text) }

/// Logs a step if `G_MESSAGES_DEBUG=SharedAuth` is set. A step contains no token, password, address or uid.
func log(_ step: @autoclosure () -> String) {
    guard unsafe g_log_writer_default_would_drop(G_LOG_LEVEL_DEBUG, "SharedAuth") == 0 else { return }
    unsafe shared_auth_glue_log(G_LOG_LEVEL_DEBUG, step())
}

/// Returns the date for seconds since 1970.
func date(_ seconds: gint64) -> Date { Date(timeIntervalSince1970: Double(seconds)) }
