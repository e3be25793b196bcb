internal import CGLibSecret
internal import Glibc

/// A stream to a message bus.
@safe final class BusStream: @unchecked Sendable {
    // A GSocketConnection; one thread at a time uses it. Another may shut down its socket meanwhile.
    private let pointer: UnsafeMutablePointer<GIOStream>
    /// The unique ID of the bus, if the bus has sent it during authentication.
    private(set) var busID = ""

    private init(taking pointer: UnsafeMutablePointer<GIOStream>) {
        unsafe self.pointer = pointer
    }

    /// The stream of a connection; nil if the connection is not open.
    convenience init?(of connection: OpaquePointer) {
        guard let stream = unsafe g_dbus_connection_get_stream(connection) else { return nil }
        unsafe self.init(taking: stream)
        unsafe g_object_ref(UnsafeMutableRawPointer(stream))
    }

    deinit {
        unsafe g_object_unref(UnsafeMutableRawPointer(pointer))
    }

    func withUnsafePointer<Result>(_ body: (UnsafeMutablePointer<GIOStream>) -> Result) -> Result {
        defer { withExtendedLifetime(self) {} }
        return unsafe body(pointer)
    }

    /// Connects to a bus on this machine and authenticates by user ID, in one round trip; GDBus takes three.
    ///
    static func open(_ address: String, by deadline: Deadline) throws(BusConnectionFailure) -> Opening {
        guard address.split(separator: ";").allSatisfy({ $0.hasPrefix("unix:") }) else { return .unsuitable }
        guard !deadline.isPast else { throw .timedOut }
        var error: UnsafeMutablePointer<GError>?
        guard let pointer = unsafe g_dbus_address_get_stream_sync(address, nil, nil, &error) else {
            throw .failed(unsafe GLibFailure(taking: error))
        }
        let stream = unsafe BusStream(taking: pointer)
        guard let line = try stream.authenticate(by: deadline) else { return .unsuitable }
        guard line.hasPrefix("OK ") else { return line.hasPrefix("REJECTED") ? .rejected : .unsuitable }
        stream.busID = String(line.dropFirst("OK ".count))
        return .open(stream)
    }

    /// The result of connecting and authenticating by user ID.
    enum Opening {
        case open(BusStream)
        /// The bus rejects this user, or this kind of authentication.
        case rejected
        /// The address is not a local socket, where connecting could take time, or the program there is of another kind.
        case unsuitable
    }

    /// Connects to a bus without authentication.
    static func connect(_ address: String, by deadline: Deadline) throws(BusConnectionFailure) -> BusStream {
        let cancellable = Cancellable()
        var error: UnsafeMutablePointer<GError>?
        let (pointer, _) = unsafe deadline.interrupting(by: { cancellable.cancel() }) {
            unsafe cancellable.withUnsafePointer { cancellable in
                unsafe g_dbus_address_get_stream_sync(address, nil, cancellable, &error)
            }
        }
        guard let pointer = unsafe pointer else { throw .failed(unsafe GLibFailure(taking: error)) }
        return unsafe BusStream(taking: pointer)
    }

    /// Shuts down the socket, if there is one, which ends a wait for the bus with an error.
    func shutDown() {
        let instance = unsafe UnsafeMutableRawPointer(pointer).assumingMemoryBound(to: GTypeInstance.self)
        guard unsafe g_type_check_instance_is_a(instance, g_socket_connection_get_type()) != 0 else { return }
        let connection = unsafe UnsafeMutableRawPointer(pointer).assumingMemoryBound(to: GSocketConnection.self)
        unsafe g_socket_shutdown(g_socket_connection_get_socket(connection), 1, 1, nil)
    }

    /// Performs the authentication of the D-Bus protocol:
    /// https://dbus.freedesktop.org/doc/dbus-specification.html#auth-protocol. Returns the line with the
    /// bus's decision; nil without one.
    private func authenticate(by deadline: Deadline) throws(BusConnectionFailure) -> String? {
        let connection = unsafe UnsafeMutableRawPointer(pointer).assumingMemoryBound(to: GSocketConnection.self)
        let socket = unsafe g_socket_get_fd(g_socket_connection_get_socket(connection))
        let user = String(getuid()).utf8.map { digit in String(digit, radix: 16) }.joined()
        let greeting = Array("\0AUTH EXTERNAL \(user)\r\nBEGIN\r\n".utf8)
        let sent = unsafe greeting.withUnsafeBytes { bytes in
            unsafe send(socket, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
        }
        guard sent == greeting.count else { return nil }
        // The bus sends nothing after that line until it receives Hello.
        return try Self.readLine(from: socket, by: deadline)
    }

    private static func readLine(from socket: Int32, by deadline: Deadline) throws(BusConnectionFailure) -> String? {
        var line: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 256)
        while line.count < 1024 {
            let count = unsafe recv(socket, &buffer, buffer.count, 0)
            if count > 0 {
                line += buffer.prefix(count)
                if line.suffix(2) == [13, 10] { return String(decoding: line.dropLast(2), as: UTF8.self) }
                continue
            }
            guard count < 0, errno == EAGAIN || errno == EINTR else { return nil }
            guard !deadline.isPast else { throw .timedOut }
            var readiness = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
            unsafe poll(&readiness, 1, deadline.remaining.wholeMilliseconds)
        }
        return nil
    }
}
