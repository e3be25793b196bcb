extension MarkupScanner {
    /// Steps over one element with all it has inside, and answers with it.
    mutating func element(named root: String) throws(PassTokenError) -> ScannedElement {
        let start = place
        var plain: [UInt8] = []
        var open: [String] = []
        var count = 0
        repeat {
            let text = text()
            // Parsers pass over a byte order mark; nothing that is not signed is passed over here.
            if isAtEnd || open.isEmpty && !text.isEmpty { throw .malformed("has no whole \(root)") }
            plain += text
            if !open.isEmpty, skip("<![CDATA[") {
                plain += ScannedElement.escaped(try textUpTo("]]>"))
                continue
            }
            let (tag, bytes) = try tag()
            plain += bytes
            if tag.kind == .end {
                // Whether it ends the right element is for the parser to say.
                guard open.popLast() != nil else { throw .malformed("has an end tag too many") }
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

    private static func check(_ tag: Tag, within open: [String], root: String) throws(PassTokenError) {
        if tag.name == "signatureInfo" {
            throw PassTokenError(
                .secondSignature,
                "The token has more than one signatureInfo, so it is open which one counts. Look at what the server sends."
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

    /// Steps over the tag that begins here.
    private mutating func tag() throws(PassTokenError) -> (Tag, ArraySlice<UInt8>) {
        let start = place
        place += 1
        if place < bytes.count, bytes[place] == UInt8(ascii: "!") || bytes[place] == UInt8(ascii: "?") {
            throw PassTokenError(
                .forbiddenMarkup,
                "The token has a declaration, a comment or a processing instruction, which no token needs, so it was not "
                    + "parsed. Look at what the server sends."
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

    /// Steps over a text and what ends it, and answers with the text.
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
