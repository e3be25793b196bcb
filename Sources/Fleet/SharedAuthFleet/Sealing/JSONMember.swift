/// The removal of a member from the text of a JSON object, of which every other byte stays.
enum JSONMember {
    /// Returns the text of an object without the member of this name, and without a comma next to it; nil if the object
    /// does not have exactly one. The text was decoded before, and has no spaces.
    static func removing(_ name: String, from text: some Sequence<UInt8>) -> [UInt8]? {
        let text = Array(text)
        let places = Array("\"\(name)\":".utf8)
        var (depth, isInString, isEscaped) = (0, false, false)
        var (start, end, isFound) = (Int?.none, Int?.none, false)
        for (place, byte) in text.enumerated() {
            if isInString {
                if !isEscaped, byte == UInt8(ascii: "\"") { isInString = false }
                isEscaped = !isEscaped && byte == UInt8(ascii: "\\")
                continue
            }
            switch byte {
            case UInt8(ascii: "\""):
                isInString = true
                guard depth == 1, text[place...].starts(with: places) else { continue }
                if isFound { return nil }
                (start, isFound) = (place, true)
            case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                depth -= 1
                if depth == 0, start != nil, end == nil { end = place }
            case UInt8(ascii: ",") where depth == 1: if start != nil, end == nil { end = place + 1 }
            default: break
            }
        }
        guard let start, let end else { return nil }
        var before = text[..<start]
        // The last member has a comma before it.
        if text[end - 1] != UInt8(ascii: ","), before.last == UInt8(ascii: ",") { before.removeLast() }
        return Array(before + text[end...])
    }
}
