/// Reads over markup, byte by byte, before an XML parser may see it: what it lets pass is shallow, small, and free of
/// everything that declares, includes or comments.
///
/// It leaves names, attributes and entities to the parser.
struct MarkupScanner {
    let bytes: [UInt8]
    var place = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    var isAtEnd: Bool { place == bytes.count }

    mutating func skipSpace() {
        while !isAtEnd, Self.isSpace(bytes[place]) { place += 1 }
    }

    /// Steps over a text, if it stands here.
    mutating func skip(_ text: String) -> Bool {
        guard bytes[place...].starts(with: text.utf8) else { return false }
        place += text.utf8.count
        return true
    }

    /// Steps over what stands before the next tag, and answers with it.
    mutating func text() -> ArraySlice<UInt8> {
        let start = place
        while !isAtEnd, bytes[place] != UInt8(ascii: "<") { place += 1 }
        return bytes[start..<place]
    }

    /// White space as XML has it.
    static func isSpace(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D
    }
}
