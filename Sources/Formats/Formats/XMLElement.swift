/// An element of XML 1.0: its name, attributes, text and elements. Names are compared as they are written, without
/// namespaces.
package struct XMLElement: Sendable {
    package let name: String
    package var attributes: [String: XMLText]
    /// The text directly within the element: before, between and after its elements.
    package var text: XMLText
    package var elements: [XMLElement]

    package init(
        _ name: String,
        attributes: [String: XMLText] = [:],
        text: XMLText = XMLText(""),
        elements: [XMLElement] = []
    ) {
        self.name = name
        self.attributes = attributes
        self.text = text
        self.elements = elements
    }

    /// Returns the elements directly within this one that have a name, in their order.
    package func all(_ name: String) -> [XMLElement] { elements.filter { $0.name == name } }

    /// The element as XML, which `XMLReader` reads as the same element: on one line, unless its text has line ends, with
    /// the text before the elements.
    package var xml: String {
        let start = attributes.sorted { $0.key < $1.key }.reduce("<\(name)") { xml, attribute in
            "\(xml) \(attribute.key)=\"\(attribute.value.attributeXML)\""
        }
        if text.value.isEmpty, elements.isEmpty { return "\(start) />" }
        return "\(start)>\(text.xml)\(elements.map(\.xml).joined())</\(name)>"
    }
}

/// The text of an element or the value of an attribute.
///
/// White space around a text may have been added to indent it. White space that is written as a character reference,
/// such as `&#13;`, belongs to the text.
package struct XMLText: Sendable, Hashable {
    /// The whole text.
    package let value: String
    /// The text without the white space around it that is not written as references.
    package let withoutIndentation: String

    /// Creates a text to be written, all of which belongs to it.
    package init(_ value: String) {
        self.value = value
        withoutIndentation = value
    }

    /// Creates a text as read: `kept` is the text without the indentation around it.
    init(_ value: String, kept: String) {
        self.value = value
        withoutIndentation = kept
    }

    /// Returns whether XML may have a character, as such or as a reference. Noncharacters are refused as well: they are
    /// for a program's own use.
    package static func allows(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x09, 0x0A, 0x0D, 0x20...0xFDCF, 0xFDF0...0xFFFD: true
        case 0x10000...: scalar.value & 0xFFFE != 0xFFFE
        default: false
        }
    }

    /// Returns whether a byte of UTF-8 is white space.
    package static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D }

    /// The text within an element. White space around it is written as references, and so is a carriage return, which a
    /// reader takes for a line end.
    fileprivate var xml: String {
        let utf8 = Array(value.utf8)
        let first = utf8.firstIndex { !Self.isSpace($0) } ?? utf8.endIndex
        let last = utf8.lastIndex { !Self.isSpace($0) } ?? utf8.startIndex
        return escaped { place, byte in Self.isSpace(byte) && (place < first || place > last || byte == 0x0D) }
    }

    /// The text in quotation marks. White space but the space itself is written as references, since a reader takes it for
    /// a space.
    fileprivate var attributeXML: String { escaped { _, byte in Self.isSpace(byte) && byte != 0x20 } }

    private func escaped(_ isReference: (Int, UInt8) -> Bool) -> String {
        var bytes: [UInt8] = []
        for (place, byte) in value.utf8.enumerated() {
            switch byte {
            case UInt8(ascii: "&"): bytes += Array("&amp;".utf8)
            case UInt8(ascii: "<"): bytes += Array("&lt;".utf8)
            case UInt8(ascii: ">"): bytes += Array("&gt;".utf8)
            case UInt8(ascii: "'"): bytes += Array("&apos;".utf8)
            case UInt8(ascii: "\""): bytes += Array("&quot;".utf8)
            default: bytes += isReference(place, byte) ? Array("&#\(byte);".utf8) : [byte]
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
