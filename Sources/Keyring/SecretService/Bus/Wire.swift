internal import CGLibSecret
internal import DesktopSupport

/// Checks of values before they are sent. For a string that is not allowed in D-Bus, or a message that is too large,
/// the bus drops the whole connection.
enum Wire {
    /// The maximum size of a request's arguments in bytes, well below the limit of a message bus.
    private static let maximumSize = 16 << 20

    /// Throws if a request would exceed the maximum size.
    ///
    /// - Parameter part: The name of the part of the request with this size, for the error.
    static func checkSize(_ size: Int, of part: @autoclosure () -> String) throws(SecretServiceError) {
        guard size <= maximumSize else {
            throw SecretServiceError(
                code: .invalidArgument,
                message: "\(part()): \(size) bytes are more than can be sent; the limit is \(maximumSize). "
                    + "Store less, or split it."
            )
        }
    }

    /// Returns a text without NUL characters.
    ///
    /// - Parameter role: The name of the text in the error, which never contains the text itself.
    static func text(_ text: String, as role: String) throws(SecretServiceError) -> String {
        guard !text.utf8.contains(0) else {
            throw SecretServiceError(
                code: .invalidArgument,
                message: "\(role) contains a NUL character, which cannot be sent. Remove it."
            )
        }
        return text
    }

    static func label(_ label: String) throws(SecretServiceError) -> String {
        guard !label.isEmpty else {
            throw SecretServiceError(
                code: .invalidArgument,
                message: "The label is empty, which some keyring daemons refuse. Name the item."
            )
        }
        return try text(label, as: "the label")
    }

    static func attributes(_ attributes: [String: String]) throws(SecretServiceError) -> [String: String] {
        guard !attributes.isEmpty else {
            throw SecretServiceError(
                code: .invalidArgument,
                message: "There are no attributes, and some keyring daemons then match every item. Name at least one."
            )
        }
        for (key, value) in attributes {
            _ = try text(key, as: "the name of an attribute")
            _ = try text(value, as: "the value of an attribute")
        }
        return attributes
    }

    static func objectPath(_ path: String) throws(SecretServiceError) -> String {
        guard !path.utf8.contains(0), unsafe g_variant_is_object_path(path) != 0 else {
            throw SecretServiceError(
                code: .invalidArgument,
                message: "The path of an object is not a D-Bus object path. Use one that the library returned."
            )
        }
        return path
    }

    static func busName(_ name: String) throws(SecretServiceError) -> String {
        guard !name.utf8.contains(0), unsafe g_dbus_is_name(name) != 0, !name.hasPrefix(":") else {
            throw SecretServiceError(
                code: .invalidArgument,
                message:
                    "The requested name is not a well-known bus name. Use dot-separated words, as in org.example.App."
            )
        }
        return name
    }
}

extension Variant {
    /// The size of the serialized value, in bytes.
    var size: Int {
        unsafe withUnsafePointer { value in unsafe Int(g_variant_get_size(value)) }
    }
}
