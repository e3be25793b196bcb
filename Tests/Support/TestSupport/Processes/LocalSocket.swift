internal import Glibc

/// A socket with a path, or one end of a connection to such a socket. One thread reads, and one at a time writes.
package struct LocalSocket: Sendable {
    package let file: Int32

    package init(file: Int32) { self.file = file }

    /// Listens at a path.
    package static func listening(at path: String) throws -> LocalSocket {
        try unsafe make(at: path, SOCK_STREAM) { file, address, length in
            unsafe bind(file, address, length) == 0 && listen(file, 64) == 0
        }
    }

    /// Connects to the listener at a path.
    package static func connected(to path: String) throws -> LocalSocket {
        try unsafe make(at: path, SOCK_STREAM) { file, address, length in unsafe connect(file, address, length) == 0 }
    }

    /// Receives datagrams at a path.
    static func receivingDatagrams(at path: String) throws -> LocalSocket {
        try unsafe make(at: path, SOCK_DGRAM) { file, address, length in unsafe bind(file, address, length) == 0 }
    }

    /// Waits for a connection. Returns nil once the socket is shut down.
    package func accepted() -> LocalSocket? {
        let accepted = accept(file, nil, nil)
        if accepted < 0 { return nil }
        _ = fcntl(accepted, F_SETFD, FD_CLOEXEC)
        return LocalSocket(file: accepted)
    }

    /// Ends the connection for both sides and every thread that reads from it.
    package func shutDown() { _ = shutdown(file, Int32(SHUT_RDWR)) }

    /// Reads exactly this number of bytes, or returns nil at the end.
    package func read(_ count: Int) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: count)
        var done = 0
        while done < count {
            let received = unsafe bytes.withUnsafeMutableBytes { buffer in
                unsafe recv(file, buffer.baseAddress?.advanced(by: done), count - done, 0)
            }
            if received < 0, errno == EINTR { continue }
            guard received > 0 else { return nil }
            done += received
        }
        return bytes
    }

    /// Reads a line of the handshake with its end, or returns nil at the end of the connection.
    func readLine() -> [UInt8]? {
        var line: [UInt8] = []
        while line.suffix(2) != [13, 10] {
            guard let byte = read(1) else { return nil }
            line += byte
        }
        return line
    }

    /// Reads a message, or returns nil at the end of the connection.
    func readMessage() -> WireMessage? {
        guard let prefix = read(WireMessage.prefix), let rest = read(WireMessage.rest(after: prefix)) else {
            return nil
        }
        return WireMessage(prefix + rest)
    }

    /// Writes all bytes. Those that the other side no longer reads are lost.
    package func write(_ bytes: [UInt8]) {
        var done = 0
        while done < bytes.count {
            let sent = unsafe bytes.withUnsafeBytes { buffer in
                unsafe send(file, buffer.baseAddress?.advanced(by: done), bytes.count - done, Int32(MSG_NOSIGNAL))
            }
            if sent < 0, errno == EINTR { continue }
            guard sent > 0 else { return }
            done += sent
        }
    }

    private static func make(
        at path: String,
        _ kind: __socket_type,
        _ attach: (Int32, UnsafePointer<sockaddr>, socklen_t) -> Bool
    ) throws -> LocalSocket {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        unsafe withUnsafeMutableBytes(of: &address.sun_path) { buffer in
            unsafe buffer.copyBytes(from: Array(path.utf8.prefix(buffer.count - 1)))
        }
        let file = socket(AF_UNIX, Int32(kind.rawValue | SOCK_CLOEXEC.rawValue), 0)
        let isMade = unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                unsafe attach(file, pointer, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        guard isMade else {
            let code = errno
            close(file)
            throw PrivateKeyringError("no socket at \(path): error \(code)")
        }
        return LocalSocket(file: file)
    }
}
