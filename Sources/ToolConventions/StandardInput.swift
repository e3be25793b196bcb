internal import ArgumentParser
internal import Glibc

/// What the person or a script says to the tool.
package enum StandardInput {
    /// The next line; a usage error when there is none.
    package static func line(_ what: String) throws -> String {
        guard let line = readLine(), !line.isEmpty else {
            throw ValidationError("There is no \(what) on standard input.")
        }
        return line
    }

    /// All that is left, but no more bytes than these.
    package static func rest(atMost limit: Int) -> String {
        var bytes: [UInt8] = []
        // Out of the same buffer as lines: what was read ahead with one belongs to the rest.
        while bytes.count < limit, let byte = UInt8(exactly: getchar()) { bytes.append(byte) }
        return String(decoding: bytes, as: UTF8.self)
    }
}
