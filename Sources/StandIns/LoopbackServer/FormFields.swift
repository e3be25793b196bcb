internal import CGLibSecret

/// The fields of a query or a form, in order.
package struct FormFields: Sendable {
    package let all: [(name: String, value: String)]

    /// Parses `a=b&c=d`. Parsing stops at the first malformed field.
    package init(_ text: String) {
        // The iterator keeps a pointer to the text.
        all = unsafe text.withCString { text in unsafe Self.read(text) }
    }

    private static func read(_ text: UnsafePointer<CChar>) -> [(name: String, value: String)] {
        var fields: [(String, String)] = []
        var iterator = unsafe GUriParamsIter()
        unsafe g_uri_params_iter_init(&iterator, text, -1, "&", G_URI_PARAMS_WWW_FORM)
        var name: UnsafeMutablePointer<gchar>?
        var value: UnsafeMutablePointer<gchar>?
        while unsafe g_uri_params_iter_next(&iterator, &name, &value, nil) != 0 {
            if let name = unsafe name, let value = unsafe value {
                unsafe fields.append((String(cString: name), String(cString: value)))
            }
            unsafe g_free(name)
            unsafe g_free(value)
        }
        return fields
    }

    /// Returns the first value of a name.
    package subscript(name: String) -> String? { all.first { $0.name == name }?.value }
}
