import Glibc

/// A pipe for the output of a helper process.
final class Output: Sendable {
    let reading: Int32
    let writing: Int32

    init() throws {
        var ends: [Int32] = [-1, -1]
        guard unsafe socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &ends) == 0 else {
            throw PrivateKeyringFailure()
        }
        (reading, writing) = (ends[0], ends[1])
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
