internal import Formats
internal import FoundationEssentials

/// Text in tokens.
enum TokenText {
    /// Returns the value, if a token carries it unchanged.
    static func checked(_ value: String, _ element: String) throws(PassTokenError) -> String {
        let bytes = value.utf8
        let isWhole =
            if let first = bytes.first, let last = bytes.last {
                !XMLText.isSpace(first) && !XMLText.isSpace(last)
            } else {
                false
            }
        let isPlain = value.unicodeScalars.allSatisfy { $0 != "\r" && XMLText.allows($0) }
        guard isWhole, isPlain else {
            throw PassTokenError(
                .invalidValue,
                "A token cannot carry this \(element): it is empty, begins or ends with white space, or has control "
                    + "characters. Pass another one."
            )
        }
        return value
    }

    /// Returns a resource, if a token carries it. It may have white space anywhere.
    static func checkedResource(_ value: String, _ element: String) throws(PassTokenError) -> String {
        guard !value.isEmpty, value.unicodeScalars.allSatisfy(XMLText.allows) else {
            throw PassTokenError(
                .invalidValue,
                "A token cannot carry this \(element): it is empty, or has control characters. Pass another one."
            )
        }
        return value
    }

    /// Returns the text without surrounding white space.
    static func trimmed(_ text: String) -> String {
        let end = text.utf8.reversed().drop(while: XMLText.isSpace).count
        return String(decoding: text.utf8.prefix(end).drop(while: XMLText.isSpace), as: UTF8.self)
    }

    /// Decodes base64 in the standard alphabet, ignoring white space.
    static func base64(_ text: some Sequence<UInt8>, _ name: String) throws(PassTokenError) -> [UInt8] {
        let digits = text.filter { !XMLText.isSpace($0) }
        // The decoder accepts too much padding, and padding in the middle.
        let padding = digits.reversed().prefix { $0 == UInt8(ascii: "=") }.count
        guard digits.count % 4 == 0, padding < 3, !digits.dropLast(padding).contains(UInt8(ascii: "=")),
            let data = Data(base64Encoded: Data(digits))
        else {
            throw PassTokenError(.notBase64, "The \(name) is not base64. Pass it on exactly as the server sent it.")
        }
        return Array(data)
    }

    /// Returns the fragment that a media token encodes in base64.
    static func decoded(_ serialized: String) throws(PassTokenError) -> String {
        try TokenLimits.check(size: serialized.utf8.count)
        let bytes = try base64(serialized.utf8, "media token")
        guard let fragment = String(validating: bytes, as: UTF8.self) else { throw .malformed("is not text in UTF-8") }
        return fragment
    }

    static func encoded(_ fragment: String) -> String { Data(fragment.utf8).base64EncodedString() }
}
