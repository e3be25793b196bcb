/// White space that a token carries as character references, such as `&#13;`. It is part of the value, unlike plain
/// white space around a value, and a parser does not normalize it, unlike plain line ends.
///
/// The XML library drops the difference, so such references are replaced by marks: characters that no text may have.
enum ReferencedSpace {
    /// The mark of each: four of the code points that Unicode reserves as noncharacters.
    private static let marks: [Unicode.Scalar: Unicode.Scalar] = {
        let spaces: [Unicode.Scalar] = ["\t", "\n", "\r", " "]
        return Dictionary(
            uniqueKeysWithValues: spaces.enumerated().compactMap { place, space in
                Unicode.Scalar(0xFDD0 + UInt32(place)).map { (space, $0) }
            }
        )
    }()
    private static let spaces = Dictionary(uniqueKeysWithValues: marks.map { ($0.value, $0.key) })
    /// The marks, by the references that they replace.
    private static let references: [String: Unicode.Scalar] = {
        var references: [String: Unicode.Scalar] = [:]
        for (space, mark) in marks {
            let digits = String(space.value, radix: 16)
            for text in ["&#\(space.value);", "&#x\(digits);", "&#x\(digits.uppercased());"] { references[text] = mark }
        }
        return references
    }()

    static func isMark(_ scalar: Unicode.Scalar) -> Bool { spaces[scalar] != nil }

    /// Returns a value with marks for the white space that XML would not preserve.
    static func marked(value: String) -> String {
        let scalars = Array(value.unicodeScalars)
        let isSpace = { (scalar: Unicode.Scalar) in marks[scalar] != nil }
        let first = scalars.firstIndex { !isSpace($0) } ?? scalars.endIndex
        let last = scalars.lastIndex { !isSpace($0) } ?? scalars.startIndex
        var text = String.UnicodeScalarView()
        for (place, scalar) in scalars.enumerated() {
            let isKept = place >= first && place <= last && scalar != "\r"
            text.append(isKept ? scalar : marks[scalar] ?? scalar)
        }
        return String(text)
    }

    /// Returns a text with white space in place of its marks.
    static func unmarked(_ text: String) -> String {
        var result = String.UnicodeScalarView()
        for scalar in text.unicodeScalars { result.append(spaces[scalar] ?? scalar) }
        return String(result)
    }

    /// Returns XML with character references in place of marks.
    static func written(_ xml: String) -> String {
        var result = ""
        for scalar in xml.unicodeScalars {
            if let space = spaces[scalar] {
                result += "&#\(space.value);"
            } else {
                result.unicodeScalars.append(scalar)
            }
        }
        return result
    }

    /// Returns XML with marks in place of character references to white space.
    ///
    /// - Throws: ``PassTokenError`` with code `malformed` if the XML already has marks.
    static func read(_ xml: [UInt8]) throws(PassTokenError) -> [UInt8] {
        if String(decoding: xml, as: UTF8.self).unicodeScalars.contains(where: isMark) {
            throw .malformed("has a character that text must not have")
        }
        guard xml.contains(UInt8(ascii: "&")) else { return xml }
        var result: [UInt8] = []
        var rest = xml[...]
        while let byte = rest.first {
            // The longest reference has six characters, and leading zeros of its number are ignored.
            if byte == UInt8(ascii: "&"), let end = rest.prefix(12).firstIndex(of: UInt8(ascii: ";")),
                let mark = references[canonical(String(decoding: rest[rest.startIndex...end], as: UTF8.self))]
            {
                result += Array(String(Character(mark)).utf8)
                rest = rest[(end + 1)...]
            } else {
                result.append(byte)
                rest = rest.dropFirst()
            }
        }
        return result
    }

    /// Returns a reference without leading zeros in its number.
    private static func canonical(_ reference: String) -> String {
        let prefix = ["&#x", "&#"].first { reference.hasPrefix($0) } ?? ""
        return prefix + reference.dropFirst(prefix.count).drop { $0 == "0" }
    }
}
