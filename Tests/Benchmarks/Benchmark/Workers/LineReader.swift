import Foundation

/// Reads a pipe line by line, waiting for each.
final class LineReader {
    private let file: FileHandle
    private var rest: [UInt8] = []

    init(_ file: FileHandle) {
        self.file = file
    }

    /// Returns the next line; nil at the end.
    func next() -> String? {
        while true {
            if let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
                defer { rest.removeFirst(end + 1) }
                return String(decoding: rest[..<end], as: UTF8.self)
            }
            let more = file.availableData
            if more.isEmpty { return nil }
            rest += more
        }
    }
}
