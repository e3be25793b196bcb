/// Escaping for other languages. A combining mark after a quote forms one `Character` with it, but the quote still ends
/// a string in a shell or in HTML, so these methods work on Unicode scalars.
extension String {
    /// The text quoted as one word of a shell command.
    package var quotedForShell: String {
        let isPlain = utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "/"), UInt8(ascii: "."), UInt8(ascii: "_"),
                UInt8(ascii: "-"), UInt8(ascii: "+"):
                true
            default: false
            }
        }
        if isPlain, !isEmpty { return self }
        return "'\(replacingScalars { $0 == "'" ? #"'\''"# : nil })'"
    }

    /// The text escaped for HTML, including quoted attributes.
    package var escapedForHTML: String {
        replacingScalars { scalar in
            switch scalar {
            case "&": "&amp;"
            case "<": "&lt;"
            case ">": "&gt;"
            case "\"": "&quot;"
            case "'": "&#39;"
            default: nil
            }
        }
    }

    private func replacingScalars(_ replacement: (Unicode.Scalar) -> String?) -> String {
        unicodeScalars.reduce(into: "") { text, scalar in
            if let other = replacement(scalar) {
                text.unicodeScalars.append(contentsOf: other.unicodeScalars)
            } else {
                text.unicodeScalars.append(scalar)
            }
        }
    }
}
