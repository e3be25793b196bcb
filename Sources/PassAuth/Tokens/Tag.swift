/// One tag of a token's markup.
struct Tag {
    enum Kind { case start, end, empty }

    let kind: Kind
    let name: String
}

extension Tag {
    /// Reads a whole tag, from its `<` to its `>`.
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
