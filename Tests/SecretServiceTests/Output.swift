import Glibc
import TestSupport

/// A pipe for the output of a helper process.
final class Output: Sendable {
    let reading: Int32
    let writing: Int32

    init() throws {
        let ends = try SocketPair()
        (reading, writing) = (ends.ours, ends.theirs)
    }

    deinit {
        close(reading)
        close(writing)
    }

    /// The next line, without its end.
    func readLine() -> String {
        var line: [UInt8] = []
        var byte: UInt8 = 0
        while unsafe read(reading, &byte, 1) == 1, byte != 10 {
            line.append(byte)
        }
        return String(decoding: line, as: UTF8.self)
    }
}
