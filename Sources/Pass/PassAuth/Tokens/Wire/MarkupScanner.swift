/// Scans markup byte by byte before an XML parser processes it. Accepted markup is shallow and small, and has no
/// declarations, inclusions or comments.
///
/// Names, attributes and entities are left to the parser.
struct MarkupScanner {
    let bytes: [UInt8]
    var place = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    var isAtEnd: Bool { place == bytes.count }

    mutating func skipSpace() {
        while !isAtEnd, Self.isSpace(bytes[place]) { place += 1 }
    }

    /// Skips a text if it comes next; returns whether it did.
    mutating func skip(_ text: String) -> Bool {
        guard bytes[place...].starts(with: text.utf8) else { return false }
        place += text.utf8.count
        return true
    }

    /// Skips the text before the next tag, and returns it.
    mutating func text() -> ArraySlice<UInt8> {
        let start = place
        while !isAtEnd, bytes[place] != UInt8(ascii: "<") { place += 1 }
        return bytes[start..<place]
    }

    /// Skips one element with its content, and returns it.
    mutating func element(named root: String) throws(PassTokenError) -> ScannedElement {
        let start = place
        var plain: [UInt8] = []
        var open: [String] = []
        var count = 0
        repeat {
            let text = text()
            // Parsers skip a byte order mark; here no unsigned text is skipped.
            if isAtEnd || open.isEmpty && !text.isEmpty { throw .malformed("has no complete \(root)") }
            plain += text
            if !open.isEmpty, skip("<![CDATA[") {
                plain += ScannedElement.escaped(try textUpTo("]]>"))
                continue
            }
            let (tag, bytes) = try tag()
            plain += bytes
            if tag.kind == .end {
                // The parser checks whether it ends the right element.
                guard open.popLast() != nil else { throw .malformed("has too many end tags") }
                continue
            }
            count += 1
            try TokenLimits.check(depth: open.count + 1, elements: count, references: 0)
            try Self.check(tag, within: open, root: root)
            if tag.kind == .start { open.append(tag.name) }
        } while !open.isEmpty
        try TokenLimits.check(depth: 0, elements: 0, references: plain.count { $0 == UInt8(ascii: "&") })
        return ScannedElement(received: Array(bytes[start..<place]), plain: plain)
    }

    /// Returns whether a byte is white space in XML.
    static func isSpace(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D
    }

    private static func check(_ tag: Tag, within open: [String], root: String) throws(PassTokenError) {
        if tag.name == "signatureInfo" {
            throw PassTokenError(
                .secondSignature,
                "The token has more than one signatureInfo, so it is unclear which one applies. Check the server's response."
            )
        }
        guard let parent = open.last else {
            if tag.name != root { throw .malformed("is not a \(root)") }
            return
        }
        if ScannedElement.texts.contains(parent) {
            throw .malformed("has elements in its \(parent), where text belongs; a server has to escape them")
        }
    }

    /// Skips the tag that begins here, and returns it.
    private mutating func tag() throws(PassTokenError) -> (Tag, ArraySlice<UInt8>) {
        let start = place
        place += 1
        if place < bytes.count, bytes[place] == UInt8(ascii: "!") || bytes[place] == UInt8(ascii: "?") {
            throw PassTokenError(
                .forbiddenMarkup,
                "The token has a declaration, a comment or a processing instruction, which no token needs, so it was not "
                    + "parsed. Check the server's response."
            )
        }
        var quote: UInt8?
        while place < bytes.count {
            let byte = bytes[place]
            place += 1
            if let open = quote {
                if byte == open { quote = nil }
            } else if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") {
                quote = byte
            } else if byte == UInt8(ascii: "<") {
                throw .malformed("has a tag that does not end")
            } else if byte == UInt8(ascii: ">") {
                return (Tag(bytes[start..<place]), bytes[start..<place])
            }
        }
        throw .malformed("ends within a tag")
    }

    /// Skips a text and its end mark, and returns the text.
    private mutating func textUpTo(_ end: String) throws(PassTokenError) -> ArraySlice<UInt8> {
        let start = place
        while !isAtEnd {
            let text = bytes[start..<place]
            if bytes[place] == end.utf8.first, skip(end) { return text }
            place += 1
        }
        throw .malformed("ends within a CDATA section")
    }
}

/// An element that is safe for an XML parser.
struct ScannedElement {
    /// Its bytes as received, which are signed.
    let received: [UInt8]
    /// The bytes for the parser, with escaped text in place of CDATA sections: the decoder loses sections that are next
    /// to other text.
    let plain: [UInt8]

    /// The elements whose text is a value, so that they contain no elements.
    static let texts: Set<String> = [
        "simpleTokenAuthenticationGuid", "simpleTokenRequestorID", "simpleTokenDomainName", "simpleTokenExpires",
        "simpleTokenMsoID", "simpleTokenFingerprint", "simpleTokenResourceID", "simpleTokenTTL", "authorizedResource",
        "sessionGUID", "requestorID", "resourceID", "ttl", "issueTime", "mvpdId", "proxyMvpdId",
    ]

    static func escaped(_ text: ArraySlice<UInt8>) -> [UInt8] {
        text.flatMap { byte in
            switch byte {
            case UInt8(ascii: "<"): Array("&lt;".utf8)
            case UInt8(ascii: ">"): Array("&gt;".utf8)
            case UInt8(ascii: "&"): Array("&amp;".utf8)
            default: [byte]
            }
        }
    }
}

/// One tag of a token's markup.
private struct Tag {
    enum Kind { case start, end, empty }

    let kind: Kind
    let name: String

    /// Decodes a whole tag, from its `<` to its `>`.
    init(_ bytes: ArraySlice<UInt8>) {
        var inside = bytes.dropFirst().dropLast()
        if inside.first == UInt8(ascii: "/") {
            kind = .end
            inside = inside.dropFirst()
        } else if inside.last == UInt8(ascii: "/") {
            kind = .empty
            inside = inside.dropLast()
        } else {
            kind = .start
        }
        name = String(decoding: inside.prefix { !MarkupScanner.isSpace($0) }, as: UTF8.self)
    }
}
