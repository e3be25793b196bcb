import Foundation
import Glibc

/// A connection to a listener with requests that no browser would send.
final class RawConnection {
    let descriptor: Int32

    /// Connects to a port. Returns nil if no listener is there.
    init?(_ port: Int, family: Int32 = AF_INET) {
        descriptor = socket(family, Int32(SOCK_STREAM.rawValue), 0)
        let isConnected: Bool
        if family == AF_INET {
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_port = UInt16(port).bigEndian
            address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
            isConnected = Self.connect(descriptor, &address)
        } else {
            var address = sockaddr_in6()
            address.sin6_family = sa_family_t(AF_INET6)
            address.sin6_port = UInt16(port).bigEndian
            address.sin6_addr = in6addr_loopback
            isConnected = Self.connect(descriptor, &address)
        }
        // The instance is complete here, so its deinitializer closes the descriptor. A second close could close one
        // that another thread has since opened.
        if !isConnected { return nil }
    }

    private static func connect<Address>(_ descriptor: Int32, _ address: inout Address) -> Bool {
        unsafe withUnsafePointer(to: &address) { address in
            unsafe address.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                unsafe Glibc.connect(descriptor, pointer, socklen_t(MemoryLayout<Address>.size)) == 0
            }
        }
    }

    deinit {
        close(descriptor)
    }

    /// The ports of both ends. This end is the browser's.
    var ends: (own: UInt16, other: UInt16) {
        unsafe (port(getsockname), port(getpeername))
    }

    private func port(_ get: (Int32, UnsafeMutablePointer<sockaddr>, UnsafeMutablePointer<socklen_t>) -> Int32)
        -> UInt16
    {
        var address = sockaddr_in()
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        _ = unsafe withUnsafeMutablePointer(to: &address) { address in
            unsafe address.withMemoryRebound(to: sockaddr.self, capacity: 1) { unsafe get(descriptor, $0, &size) }
        }
        return address.sin_port
    }

    /// Makes closing the connection reset it, which discards all data that the other side has not read.
    func resetWhenClosed() {
        var linger = linger(l_onoff: 1, l_linger: 0)
        unsafe setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout<Glibc.linger>.size))
    }

    func send(_ text: String) {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let count = unsafe rest.withUnsafeBytes { bytes in
                unsafe Glibc.send(descriptor, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { return }
            rest = rest.dropFirst(count)
        }
    }

    /// Indicates whether the other side has sent data or has closed.
    var hasHeard: Bool {
        var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return unsafe poll(&entry, 1, 0) != 0
    }

    /// Returns everything that the other side sends until it closes.
    func receive() -> String {
        var all: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = unsafe recv(descriptor, &buffer, buffer.count, 0)
            guard count > 0 else { return String(decoding: all, as: UTF8.self) }
            all += buffer.prefix(count)
        }
    }
}

/// Sends one request to a port and returns the response, or nil if no listener is there.
func exchange(_ port: Int, _ request: String) -> String? {
    guard let connection = RawConnection(port) else { return nil }
    connection.send(request)
    return connection.receive()
}

/// Sends a GET request as a browser does.
func get(_ port: Int, _ target: String, host: String? = nil) -> String? {
    exchange(port, "GET \(target) HTTP/1.1\r\nHost: \(host ?? "127.0.0.1:\(port)")\r\nUser-Agent: Browser\r\n\r\n")
}
