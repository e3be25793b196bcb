internal import ArgumentParser
internal import Glibc

/// What the person or a script says to the tool.
package enum StandardInput {
    /// The next line; a usage error when there is none, or when it is not UTF-8.
    package static func line(_ what: String) throws -> String {
        var bytes: [UInt8] = []
        while let byte = nextByte(), byte != UInt8(ascii: "\n") { bytes.append(byte) }
        if bytes.last == UInt8(ascii: "\r") { bytes.removeLast() }
        guard !bytes.isEmpty else { throw ValidationError("There is no \(what) on standard input.") }
        return try text(bytes, what)
    }

    /// All that is left, but no more bytes than these; a usage error when it is not UTF-8.
    package static func rest(atMost limit: Int) throws -> String {
        var bytes: [UInt8] = []
        // Out of the same buffer as lines: what was read ahead with one belongs to the rest.
        while bytes.count < limit, let byte = nextByte() { bytes.append(byte) }
        return try text(bytes, "text")
    }

    private static func nextByte() -> UInt8? { UInt8(exactly: getchar()) }

    private static func text(_ bytes: [UInt8], _ what: String) throws -> String {
        // Repaired silently, two different passwords could become one.
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw ValidationError(
                "The \(what) on standard input is not UTF-8 text. Convert it, e.g. with iconv -t UTF-8."
            )
        }
        return text
    }
}
