/// Reads over markup, byte by byte, before an XML parser may see it: what it lets pass is shallow, small, and free of
/// everything that declares, includes or comments.
///
/// It leaves names, attributes and entities to the parser.
struct MarkupScanner {
    private let bytes: [UInt8]
    private(set) var place = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    var isAtEnd: Bool { place == bytes.count }

    mutating func skipSpace() {
        while place < bytes.count, Self.isSpace(bytes[place]) { place += 1 }
    }

    /// Steps over a text, if it stands here.
    mutating func skip(_ text: String) -> Bool {
        guard isHere(text) else { return false }
        place += text.utf8.count
        return true
    }

    /// Steps over what stands before the next tag, and answers with it.
    mutating func text() -> ArraySlice<UInt8> {
        let start = place
        while place < bytes.count, bytes[place] != UInt8(ascii: "<") { place += 1 }
        return bytes[start..<place]
    }

    /// Steps over one element with all it has inside, and answers with its bytes.
    mutating func element(named name: String) throws(PassTokenError) -> [UInt8] {
        let start = place
        var (depth, count) = (0, 0)
        repeat {
            _ = text()
            if isAtEnd { throw .malformed("has no whole \(name)") }
            if depth > 0, skip("<![CDATA[") {
                try skipPast("]]>")
                continue
            }
            let tag = try tag()
            switch tag.kind {
            case .forbidden:
                throw PassTokenError(
                    .forbiddenMarkup,
                    "The token has a declaration, a comment or a processing instruction, which no token needs, so it was "
                        + "not parsed. Look at what the server sends."
                )
            case .end:
                depth -= 1
            case .start, .empty:
                count += 1
                try check(tag, depth: depth + 1, count: count, root: name)
                if tag.kind == .start { depth += 1 }
            }
        } while depth > 0
        guard depth == 0 else { throw .malformed("has an end tag too many") }
        return Array(bytes[start..<place])
    }

    private func check(_ tag: Tag, depth: Int, count: Int, root: String) throws(PassTokenError) {
        if tag.name == "signatureInfo" {
            throw PassTokenError(
                .secondSignature,
                "The token has more than one signatureInfo, so it is open which one counts. Look at what the server sends."
            )
        }
        if depth == 1, tag.name != root { throw .malformed("is not a \(root)") }
        guard depth <= TokenLimits.depth, count <= TokenLimits.elements else {
            throw PassTokenError(
                .tooDeep,
                "The token has more than \(TokenLimits.depth) levels or \(TokenLimits.elements) elements, so it was not "
                    + "parsed. Look at what the server sends."
            )
        }
    }

    /// Steps over the tag that begins here.
    private mutating func tag() throws(PassTokenError) -> Tag {
        let start = place
        place += 1
        guard place < bytes.count else { throw .malformed("ends within a tag") }
        if bytes[place] == UInt8(ascii: "!") || bytes[place] == UInt8(ascii: "?") {
            return Tag(kind: .forbidden, name: "")
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
                return Tag(bytes[start..<place])
            }
        }
        throw .malformed("ends within a tag")
    }

    private mutating func skipPast(_ text: String) throws(PassTokenError) {
        while !isAtEnd {
            if skip(text) { return }
            place += 1
        }
        throw .malformed("ends within a CDATA section")
    }

    private func isHere(_ text: String) -> Bool { bytes[place...].starts(with: text.utf8) }

    static func isSpace(_ byte: UInt8) -> Bool {
        byte == 0x20 || (0x09...0x0A).contains(byte) || byte == 0x0D
    }
}
