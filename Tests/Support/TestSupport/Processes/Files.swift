internal import Glibc

/// Opens small files, and reads and writes them whole.
enum Files {
    static func open(_ path: String, _ flags: Int32) throws -> Int32 {
        let file = unsafe Glibc.open(path, flags | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw PrivateKeyringError("\(path) cannot be opened: error \(errno)") }
        return file
    }

    static func makeDirectory(_ path: String) throws {
        guard unsafe mkdir(path, 0o700) == 0 else { throw PrivateKeyringError("no directory \(path): error \(errno)") }
    }

    static func write(_ text: String, to path: String) throws {
        let file = try open(path, O_WRONLY | O_CREAT | O_TRUNC)
        defer { close(file) }
        try write(Array(text.utf8), to: file)
    }

    static func write(_ bytes: [UInt8], to file: Int32) throws {
        var rest = bytes[...]
        while !rest.isEmpty {
            let written = unsafe rest.withUnsafeBytes { buffer in
                unsafe Glibc.write(file, buffer.baseAddress, buffer.count)
            }
            guard written > 0 || errno == EINTR else { throw PrivateKeyringError("write failed: error \(errno)") }
            rest = rest.dropFirst(max(0, written))
        }
    }

    static func read(_ path: String) throws -> String {
        let file = try open(path, O_RDONLY)
        defer { close(file) }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = unsafe buffer.withUnsafeMutableBytes { buffer in
                unsafe Glibc.read(file, buffer.baseAddress, buffer.count)
            }
            if count > 0 {
                bytes += buffer[..<count]
            } else if count == 0 {
                return String(decoding: bytes, as: UTF8.self)
            } else if errno != EINTR {
                throw PrivateKeyringError("\(path) cannot be read: error \(errno)")
            }
        }
    }
}

/// Returns the next line from a file descriptor, without its end; empty at the end of the file.
package func nextLine(from file: Int32) -> String {
    var line: [UInt8] = []
    var byte: UInt8 = 0
    while unsafe read(file, &byte, 1) == 1, byte != UInt8(ascii: "\n") { line.append(byte) }
    return String(decoding: line, as: UTF8.self)
}

/// Two connected file descriptors that no child process inherits by accident: bytes written to one are read from the
/// other.
///
/// Used for one direction too, because Glibc in Swift has no way to make a pipe that is closed on exec from the start.
package struct SocketPair: Sendable {
    /// The end of the process that made the pair.
    package let ours: Int32
    /// The end for another process.
    package let theirs: Int32

    /// Makes a pair; the caller closes both ends.
    package init() throws {
        var ends: [Int32] = [-1, -1]
        guard unsafe socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &ends) == 0 else {
            throw PrivateKeyringError("no pipe: error \(errno)")
        }
        (ours, theirs) = (ends[0], ends[1])
    }
}
