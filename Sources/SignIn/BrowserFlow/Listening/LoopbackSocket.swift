internal import DesktopSupport
internal import Glibc
internal import Synchronization

/// A socket of the listener. It is closed explicitly or with its last reference.
final class LoopbackSocket: Sendable {
    let descriptor: Int32
    private let isClosed = Atomic(false)

    private init(_ descriptor: Int32) {
        self.descriptor = descriptor
    }

    deinit {
        close()
    }

    /// Closes the socket. A second call does nothing.
    func close() {
        guard !isClosed.exchange(true, ordering: .relaxed) else { return }
        // A process that is being started, or that runs without having executed a program, also has the descriptor.
        shutdown(descriptor, Int32(SHUT_RDWR))
        _ = Glibc.close(descriptor)
    }

    /// The address of this machine in one version of the Internet Protocol.
    enum Version { case four, six }

    /// Listens on the addresses that a browser may use for a host name, all with one port. Port 0 means any free port.
    static func listening(on port: UInt16, for host: RedirectHost) throws(BrowserFlowError) -> [LoopbackSocket] {
        guard host == .localhost else { return [try listening(on: port)] }
        var attempts = 8
        while true {
            let four = try listening(on: port)
            switch Self.bound(to: four.port, .six) {
            case .success(let six): return [four, six]
            // This machine has no IPv6, so no browser uses it for localhost.
            case .failure(let failure) where [EAFNOSUPPORT, EADDRNOTAVAIL].contains(failure.number): return [four]
            // Another program would receive the redirect.
            case .failure(let failure) where failure.number == EADDRINUSE:
                attempts -= 1
                guard port == 0, attempts > 0 else { throw unavailable(port, failure.number) }
            case .failure(let failure): throw unavailable(port, failure.number)
            }
        }
    }

    /// Listens on `127.0.0.1` only; port 0 means any free port.
    static func listening(on port: UInt16) throws(BrowserFlowError) -> LoopbackSocket {
        do throws(SystemError) {
            return try bound(to: port, .four).get()
        } catch {
            throw unavailable(port, error.number)
        }
    }

    private struct SystemError: Error { let number: Int32 }

    private static func bound(to port: UInt16, _ version: Version) -> Result<LoopbackSocket, SystemError> {
        let family = version == .four ? AF_INET : AF_INET6
        let socket = LoopbackSocket(socket(family, Int32(SOCK_STREAM.rawValue) | nonBlocking, 0))
        guard socket.descriptor >= 0 else { return .failure(SystemError(number: errno)) }
        // Connections of an earlier sign-in may still be closing on a fixed port.
        set(SO_REUSEADDR, of: SOL_SOCKET, on: socket)
        let isBound: Bool
        switch version {
        case .four:
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_port = port.bigEndian
            address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
            isBound = bind(socket, to: &address)
        case .six:
            set(IPV6_V6ONLY, of: Int32(IPPROTO_IPV6), on: socket)
            var address = sockaddr_in6()
            address.sin6_family = sa_family_t(AF_INET6)
            address.sin6_port = port.bigEndian
            address.sin6_addr = in6addr_loopback
            isBound = bind(socket, to: &address)
        }
        guard isBound, listen(socket.descriptor, 64) == 0 else { return .failure(SystemError(number: errno)) }
        return .success(socket)
    }

    private static func set(_ option: Int32, of level: Int32, on socket: LoopbackSocket) {
        var on: Int32 = 1
        unsafe setsockopt(socket.descriptor, level, option, &on, socklen_t(MemoryLayout<Int32>.size))
    }

    private static func bind<Address>(_ socket: LoopbackSocket, to address: inout Address) -> Bool {
        unsafe withUnsafePointer(to: &address) { address in
            unsafe address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                unsafe Glibc.bind(socket.descriptor, address, socklen_t(MemoryLayout<Address>.size)) == 0
            }
        }
    }

    private static let nonBlocking = Int32(SOCK_NONBLOCK.rawValue) | Int32(SOCK_CLOEXEC.rawValue)

    private static func unavailable(_ port: UInt16, _ number: Int32) -> BrowserFlowError {
        let isFixed = port != 0
        let place = isFixed ? "port \(port) of 127.0.0.1" : "a port of 127.0.0.1"
        let reason = number == EADDRINUSE ? "another program uses it" : "error \(number)"
        return BrowserFlowError(
            .portUnavailable,
            "The browser's redirect cannot be received on \(place): \(reason).",
            remedy: isFixed ? "End the program that uses the port, perhaps another sign-in, and try again." : nil
        )
    }

    /// The port that the socket listens on.
    var port: UInt16 { UInt16(bigEndian: ownEnd.port) }

    /// The user whose program is at the other end of the connection.
    var owner: ConnectionOwner {
        unsafe .find(
            of: ConnectionOwner.Ends(listener: ownEnd, browser: place { unsafe getpeername(descriptor, $0, $1) })
        )
    }

    private var ownEnd: ConnectionOwner.Ends.Place { unsafe place { unsafe getsockname(descriptor, $0, $1) } }

    private func place(
        _ get: (UnsafeMutablePointer<sockaddr>, UnsafeMutablePointer<socklen_t>) -> Int32
    ) -> ConnectionOwner.Ends.Place {
        var address = sockaddr_in6()
        var size = socklen_t(MemoryLayout<sockaddr_in6>.size)
        return unsafe withUnsafeMutablePointer(to: &address) { address in
            let isSix =
                unsafe address.withMemoryRebound(to: sockaddr.self, capacity: 1) { unsafe get($0, &size) == 0 }
                && address.pointee.sin6_family == sa_family_t(AF_INET6)
            if isSix {
                let words = unsafe withUnsafeBytes(of: address.pointee.sin6_addr) {
                    unsafe Array($0.bindMemory(to: in_addr_t.self))
                }
                return unsafe ConnectionOwner.Ends.Place(words: words, port: address.pointee.sin6_port)
            }
            return unsafe address.withMemoryRebound(to: sockaddr_in.self, capacity: 1) { address in
                unsafe ConnectionOwner.Ends.Place(
                    address: address.pointee.sin_addr.s_addr,
                    port: address.pointee.sin_port
                )
            }
        }
    }

    /// Accepts the next connection; nil if none is waiting.
    func accepted() -> LoopbackSocket? {
        let connection = acceptConnection(on: descriptor)
        return connection < 0 ? nil : LoopbackSocket(connection)
    }

    /// Returns the bytes that have arrived; empty at the end or after an error, nil if there are none yet.
    func received() -> [UInt8]? {
        var buffer = [UInt8](repeating: 0, count: 4096)
        let count = unsafe recv(descriptor, &buffer, buffer.count, 0)
        if count < 0, errno == EAGAIN || errno == EINTR { return nil }
        return Array(buffer.prefix(max(0, count)))
    }

    /// Sends bytes, which must fit into the socket's buffer, and shuts down the sending side.
    func sendAll(_ bytes: [UInt8]) {
        _ = unsafe send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL))
        shutdown(descriptor, Int32(SHUT_WR))
    }
}

/// Wakes a thread that polls.
final class WakeUp: Sendable {
    /// The descriptor to poll; readable from the first signal on.
    let descriptor: Int32
    private let writingEnd: Int32

    init() {
        var ends: [Int32] = [-1, -1]
        let flags = Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
        _ = unsafe socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue) | flags, 0, &ends)
        (descriptor, writingEnd) = (ends[0], ends[1])
    }

    deinit {
        close(descriptor)
        close(writingEnd)
    }

    func signal() {
        _ = unsafe write(writingEnd, [1], 1)
    }
}
