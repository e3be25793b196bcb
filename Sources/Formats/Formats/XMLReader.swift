/// Reads XML 1.0 from untrusted sources, in time linear in its length: elements, attributes, text, CDATA sections and
/// references. Declarations, processing instructions and comments are refused, so nothing is declared or included.
package struct XMLReader {
    /// The largest sizes that are read.
    package struct Limits: Sendable {
        /// The number of levels of elements.
        package let depth: Int
        /// The number of elements.
        package let elements: Int
        /// The number of references, such as `&lt;`, and of characters in CDATA sections that would need one.
        package let references: Int

        package init(depth: Int, elements: Int, references: Int) {
            self.depth = depth
            self.elements = elements
            self.references = references
        }
    }

    /// The reason that XML is not read.
    package enum Flaw: Error, Sendable {
        /// It exceeds the limits.
        case tooLarge
        /// It has a declaration, a processing instruction or a comment.
        case forbidden
        /// It is not XML: the predicate of a sentence, such as "has a tag that does not end".
        case malformed(String)
    }

    private let bytes: [UInt8]
    /// The place of the next byte.
    package private(set) var place: Int
    private let limits: Limits
    private var elementCount = 0
    private var referenceCount = 0

    /// Creates a reader that begins at a place.
    package init(_ bytes: [UInt8], from place: Int = 0, within limits: Limits) {
        self.bytes = bytes
        self.place = place
        self.limits = limits
    }

    /// Reads the element that begins here, and stops behind it.
    package mutating func element() throws(Flaw) -> XMLElement {
        // Whether the rest is text as well is not known before it is read.
        guard let text = String(validating: bytes[place...], as: UTF8.self),
            text.unicodeScalars.allSatisfy(XMLText.allows)
        else { throw .malformed("has characters that XML must not have") }
        return try element(at: 1)
    }

    private var next: UInt8? { place < bytes.count ? bytes[place] : nil }

    /// Skips a text if it comes next. Returns whether it does.
    private mutating func skip(_ text: String) -> Bool {
        guard bytes[place...].starts(with: text.utf8) else { return false }
        place += text.utf8.count
        return true
    }

    /// Skips white space. Returns whether there was some.
    private mutating func skipSpace() -> Bool {
        let start = place
        while let byte = next, XMLText.isSpace(byte) { place += 1 }
        return place > start
    }

    private mutating func element(at depth: Int) throws(Flaw) -> XMLElement {
        guard skip("<") else { throw .malformed("has no element where one has to begin") }
        if next == UInt8(ascii: "!") || next == UInt8(ascii: "?") { throw .forbidden }
        elementCount += 1
        if depth > limits.depth || elementCount > limits.elements { throw .tooLarge }
        var element = XMLElement(try name())
        while true {
            let isSeparate = skipSpace()
            if skip("/>") { return element }
            if skip(">") { break }
            guard isSeparate else { throw .malformed("has a tag that does not end") }
            let name = try name()
            let value = try attribute()
            if element.attributes.updateValue(value, forKey: name) != nil {
                throw .malformed("has an attribute twice in one tag")
            }
        }
        var text = TextBuffer()
        while let byte = next {
            if byte != UInt8(ascii: "<") {
                if byte == UInt8(ascii: "]"), skip("]]>") {
                    throw .malformed("has the end of a CDATA section without its start")
                }
                try readCharacter(byte, into: &text)
            } else if skip("<![CDATA[") {
                try readSection(into: &text)
            } else if try skipEnd(of: element.name) {
                element.text = text.text
                return element
            } else {
                element.elements.append(try self.element(at: depth + 1))
            }
        }
        throw .malformed("has an element that does not end")
    }

    /// Skips the end tag of an element if one comes next. Returns whether it does.
    private mutating func skipEnd(of name: String) throws(Flaw) -> Bool {
        guard skip("</") else { return false }
        guard try self.name() == name else { throw .malformed("has an end tag that ends another element") }
        _ = skipSpace()
        guard skip(">") else { throw .malformed("has a tag that does not end") }
        return true
    }

    /// Reads the value of an attribute with the equals sign before it.
    private mutating func attribute() throws(Flaw) -> XMLText {
        _ = skipSpace()
        guard skip("=") else { throw .malformed("has an attribute without a value") }
        _ = skipSpace()
        guard let quote = next, quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") else {
            throw .malformed("has an attribute whose value is not in quotation marks")
        }
        place += 1
        var text = TextBuffer()
        while next != quote {
            guard let byte = next, byte != UInt8(ascii: "<") else { throw .malformed("has a tag that does not end") }
            if XMLText.isSpace(byte) {
                if !skip("\r\n") { place += 1 }
                text.append(UInt8(ascii: " "))
            } else {
                try readCharacter(byte, into: &text)
            }
        }
        place += 1
        return text.text
    }

    /// Reads one byte of text or a reference.
    private mutating func readCharacter(_ byte: UInt8, into text: inout TextBuffer) throws(Flaw) {
        if byte == UInt8(ascii: "&") {
            place += 1
            text.append(reference: try reference())
        } else {
            readByte(byte, into: &text)
        }
    }

    /// Reads one byte, or a line end of any kind as a line feed.
    private mutating func readByte(_ byte: UInt8, into text: inout TextBuffer) {
        place += 1
        if byte == 0x0D {
            if next == 0x0A { place += 1 }
            text.append(0x0A)
        } else {
            text.append(byte)
        }
    }

    private mutating func readSection(into text: inout TextBuffer) throws(Flaw) {
        while let byte = next {
            if byte == UInt8(ascii: "]"), skip("]]>") { return }
            if byte == UInt8(ascii: "<") || byte == UInt8(ascii: ">") || byte == UInt8(ascii: "&") {
                try countReference()
            }
            readByte(byte, into: &text)
        }
        throw .malformed("ends within a CDATA section")
    }

    private mutating func countReference() throws(Flaw) {
        referenceCount += 1
        if referenceCount > limits.references { throw .tooLarge }
    }

    /// Reads the rest of a reference, behind its ampersand.
    private mutating func reference() throws(Flaw) -> Unicode.Scalar {
        try countReference()
        // The longest number has seven digits, and leading zeros.
        guard let end = bytes[place...].prefix(64).firstIndex(of: UInt8(ascii: ";")) else {
            throw .malformed("has an ampersand that begins no reference")
        }
        let name = String(decoding: bytes[place..<end], as: UTF8.self)
        place = end + 1
        let scalar: Unicode.Scalar? =
            switch name {
            case "amp": "&"
            case "lt": "<"
            case "gt": ">"
            case "apos": "'"
            case "quot": "\""
            default: Self.character(name)
            }
        guard let scalar else { throw .malformed("has a reference to no character") }
        return scalar
    }

    /// Returns the character of a reference such as `#10` or `#x0A`; nil if there is none that XML may have.
    private static func character(_ name: String) -> Unicode.Scalar? {
        let digits = name.hasPrefix("#x") ? name.dropFirst(2) : name.dropFirst()
        let radix = name.hasPrefix("#x") ? 16 : 10
        // A number's initializer accepts a sign.
        guard name.hasPrefix("#"), digits.first != "+", digits.first != "-",
            let scalar = UInt32(digits, radix: radix).flatMap(Unicode.Scalar.init), XMLText.allows(scalar)
        else { return nil }
        return scalar
    }

    private mutating func name() throws(Flaw) -> String {
        let start = place
        while let byte = next, Self.isInName(byte, first: place == start) { place += 1 }
        guard place > start else { throw .malformed("has a name that XML does not allow") }
        return String(decoding: bytes[start..<place], as: UTF8.self)
    }

    /// Returns whether a name may have a byte: letters, digits and `_:-.` of ASCII.
    private static func isInName(_ byte: UInt8, first: Bool) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "_"),
            UInt8(ascii: ":"):
            true
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."): !first
        default: false
        }
    }
}

/// A text that is being read.
private struct TextBuffer {
    private var bytes: [UInt8] = []
    /// The range without the white space around it that is not written as references.
    private var kept: Range<Int>?

    mutating func append(_ byte: UInt8) {
        bytes.append(byte)
        if !XMLText.isSpace(byte) { keep(1) }
    }

    mutating func append(reference scalar: Unicode.Scalar) {
        let encoded = UTF8.encode(scalar).map(Array.init) ?? []
        bytes += encoded
        keep(encoded.count)
    }

    private mutating func keep(_ count: Int) {
        kept = (kept?.lowerBound ?? bytes.count - count)..<bytes.count
    }

    var text: XMLText {
        let value = String(decoding: bytes, as: UTF8.self)
        return XMLText(value, kept: kept.map { String(decoding: bytes[$0], as: UTF8.self) } ?? "")
    }
}
