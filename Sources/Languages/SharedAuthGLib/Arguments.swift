public import CSharedAuthGLib
internal import FoundationEssentials
internal import SharedAuth

// What C passes and gets. Where an argument breaks a rule, the call says so as GLib's own do, by a critical, and does nothing.

/// Reports that a call broke a rule.
func critical(_ function: StaticString, _ rule: String) {
    let name = "\(function)".prefix { $0 != "(" }
    unsafe g_return_if_fail_warning("SharedAuth", String(name), rule)
}

/// A text that is needed; nil, and a critical, for NULL and for what is not UTF-8.
func text(_ pointer: UnsafePointer<CChar>?, _ name: String, _ function: StaticString) -> String? {
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

/// A text that may be missing; nil, and a critical, for what is not UTF-8.
func optionalText(_ pointer: UnsafePointer<CChar>?, _ name: String, _ function: StaticString) -> String?? {
    guard unsafe pointer != nil else { return .some(nil) }
    return unsafe text(pointer, name, function).map { .some($0) }
}

/// Whether a pointer is an object of a type; a critical if not.
func isObject(_ pointer: UnsafeMutableRawPointer?, _ type: GType, _ rule: String, _ function: StaticString) -> Bool {
    if unsafe shared_auth_glue_is(pointer, type) != 0 { return true }
    critical(function, rule)
    return false
}

/// Texts in an array that ends with NULL; nil for NULL, what is not UTF-8 left out.
func texts(_ pointer: UnsafePointer<UnsafePointer<CChar>?>?) -> [String]? {
    guard let pointer = unsafe pointer else { return nil }
    var texts: [String] = []
    var index = 0
    while let item = unsafe pointer[index] {
        if let text = unsafe String(validatingCString: item) { texts.append(text) }
        index += 1
    }
    return texts
}

extension UnsafePointer<GValue> {
    /// The text in a value; nil for NULL and for what is not UTF-8.
    var text: String? { unsafe g_value_get_string(self).flatMap { unsafe String(validatingCString: $0) } }

    /// The texts in a value.
    var texts: [String]? {
        let strings = unsafe g_value_get_boxed(self)?.assumingMemoryBound(to: UnsafePointer<CChar>?.self)
        return unsafe SharedAuthGLib.texts(UnsafePointer<UnsafePointer<CChar>?>(strings))
    }
}

extension UnsafeMutablePointer<GValue> {
    /// Sets the texts in a value.
    func setTexts(_ texts: [String]?) {
        guard let texts else { return }
        let strings = unsafe g_strv_builder_new()
        for text in texts { unsafe g_strv_builder_add(strings, text) }
        unsafe g_value_take_boxed(self, g_strv_builder_end(strings))
        unsafe g_strv_builder_unref(strings)
    }
}

/// A text in memory of GLib's, for a caller who frees it; NULL for nil.
func copy(_ text: String?) -> UnsafeMutablePointer<CChar>? { unsafe g_strdup(text) }

private let quark = unsafe g_quark_from_static_string(strdup("shared-auth-error-quark"))

/// Returns the domain of errors.
@c @implementation
public func shared_auth_error_quark() -> GQuark { quark }

extension AuthError {
    /// The same as GLib has it, with the names that things have there; the caller's to free.
    var asGError: UnsafeMutablePointer<GError>? {
        var message = text
        for (swift, here) in Self.names { message = message.replacing(swift, with: here) }
        return unsafe g_error_new_literal(quark, gint(code.rawValue), message)
    }

    /// What messages call by its name in Swift, and its name here.
    private static let names = [
        ("auth.unlock()", "unlock()"),
        ("Set Options.identityProvider, e.g. to .local of LocalIdentity.", "Make the session with identity-provider."),
        ("Options.identityTimeout", "identity-timeout"),
        ("Options.accessGroups", "access-groups"),
        ("Options.stateDirectory", "XDG_STATE_HOME"),
        ("getIDToken(forcingRefresh:)", "get_id_token()"),
    ]
}

/// Logs a step, if somebody asks for it by `G_MESSAGES_DEBUG=SharedAuth`. It names no token, password, address or user.
func log(_ step: @autoclosure () -> String) {
    guard unsafe g_log_writer_default_would_drop(G_LOG_LEVEL_DEBUG, "SharedAuth") == 0 else { return }
    unsafe shared_auth_glue_log(G_LOG_LEVEL_DEBUG, step())
}

/// The time that GLib's seconds since 1970 mean.
func date(_ seconds: gint64) -> Date { Date(timeIntervalSince1970: Double(seconds)) }
