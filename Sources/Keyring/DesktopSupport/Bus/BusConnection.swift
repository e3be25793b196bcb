internal import CGLibSecret
internal import Glibc

/// A private connection to a message bus, not shared with other code in the process.
@safe package final class BusConnection: @unchecked Sendable {
    // A GDBusConnection is thread-safe.
    private let pointer: OpaquePointer
    /// The unique ID of the bus.
    package let busID: String

    /// Opens a connection on a stream that the bus has authenticated.
    private init(on stream: BusStream, _ made: UnopenedConnection, by deadline: Deadline) throws(BusConnectionFailure) {
        unsafe pointer = try made.open(on: stream, by: deadline)
        busID = unsafe g_dbus_connection_get_guid(pointer).map { id in unsafe String(cString: id) } ?? stream.busID
    }

    deinit {
        unsafe closeConnection(pointer)
    }

    /// Connects to the bus at `address` and sends Hello.
    package static func open(_ address: String, by deadline: Deadline) throws(BusConnectionFailure) -> BusConnection {
        let opening = try BusStream.open(address, by: deadline)
        do throws(BusConnectionFailure) {
            if case .open(let stream) = opening {
                return try BusConnection(on: stream, .make(on: stream, by: deadline), by: deadline)
            }
            // GDBus supports more addresses and authentication methods.
            let stream = try BusStream.connect(address, by: deadline)
            let flags = G_DBUS_CONNECTION_FLAGS_AUTHENTICATION_CLIENT
            return try BusConnection(on: stream, .make(on: stream, flags, by: deadline), by: deadline)
        } catch {
            // The program listens: a bus of another user closes the connection, too, after it has authenticated root.
            guard case .failed = error, let owner = BusSocket.owner(of: address) else { throw error }
            if owner != geteuid() { throw .refused(owner: owner) }
            if case .rejected = opening { throw .refused(owner: owner) }
            throw error
        }
    }

    /// Indicates whether the bus or the network has closed the connection.
    package var isClosed: Bool {
        unsafe g_dbus_connection_is_closed(pointer) != 0
    }

    /// The connection's unique name on the bus.
    package var uniqueName: String {
        unsafe String(cString: g_dbus_connection_get_unique_name(pointer))
    }

    /// Calls a method of another connection, and waits for the reply. Returns nil if the reply is an error or does not
    /// arrive in time. Starts no service.
    package func call(
        _ method: String,
        _ arguments: Variant,
        of object: (path: String, interface: String),
        at destination: String,
        by deadline: Deadline
    ) -> Variant? {
        let answer = unsafe arguments.withUnsafePointer { arguments in
            unsafe g_dbus_connection_call_sync(
                pointer,
                destination,
                object.path,
                object.interface,
                method,
                arguments,
                nil,
                G_DBUS_CALL_FLAGS_NO_AUTO_START,
                deadline.remaining.wholeMilliseconds,
                nil,
                nil
            )
        }
        return unsafe answer.map { answer in unsafe Variant(taking: answer) }
    }

    /// Sends a signal to one connection without waiting for the bus.
    ///
    /// - Returns: Whether it was queued; false once the connection is closed.
    package func emit(
        _ signal: String,
        _ arguments: Variant,
        to destination: String,
        _ object: (path: String, interface: String)
    ) -> Bool {
        unsafe arguments.withUnsafePointer { arguments in
            unsafe g_dbus_connection_emit_signal(
                pointer,
                destination,
                object.path,
                object.interface,
                signal,
                arguments,
                nil
            ) != 0
        }
    }

    /// Passes the connection's pointer to a GLib function.
    package func withUnsafePointer<Result>(_ body: (OpaquePointer) -> Result) -> Result {
        defer { withExtendedLifetime(self) {} }
        return unsafe body(pointer)
    }
}

/// The reason why a connection could not be opened.
package enum BusConnectionFailure: Error {
    /// The deadline passed.
    case timedOut
    /// The bus refused this process. It belongs to this user.
    case refused(owner: UInt32)
    /// GLib or the bus reported an error.
    case failed(GLibFailure)
}

/// A connection object that is not open yet; released if the deadline passes first.
@safe private final class UnopenedConnection: @unchecked Sendable {
    // A GDBusConnection is thread-safe.
    private let pointer: OpaquePointer

    /// Takes ownership of the reference.
    private init(taking pointer: OpaquePointer) {
        unsafe self.pointer = pointer
    }

    deinit {
        unsafe g_object_unref(UnsafeMutableRawPointer(pointer))
    }

    /// Creates the object on the thread on which GDBus reports its closing.
    static func make(
        on stream: BusStream,
        _ flags: GDBusConnectionFlags = G_DBUS_CONNECTION_FLAGS_NONE,
        by deadline: Deadline
    ) throws(BusConnectionFailure) -> UnopenedConnection {
        let made = GLibThread.perform(by: deadline) {
            unsafe stream.withUnsafePointer { stream in
                unsafe UnopenedConnection(
                    taking: makeConnection(flags: flags.rawValue, "stream", g_io_stream_get_type()) { value in
                        unsafe g_value_set_object(value, stream)
                    }
                )
            }
        }
        guard let made, !deadline.isPast else { throw .timedOut }
        return made
    }

    /// Sends Hello on the stream and waits for the bus. GDBus would wait 25 seconds, whatever the deadline.
    ///
    /// - Returns: A reference to the open connection.
    func open(on stream: BusStream, by deadline: Deadline) throws(BusConnectionFailure) -> OpaquePointer {
        var error: UnsafeMutablePointer<GError>?
        let (isConnected, isLate) = deadline.interrupting(by: { stream.shutDown() }) {
            unsafe g_initable_init(pointer, nil, &error)
        }
        if isConnected != 0 { unsafe g_dbus_connection_set_exit_on_close(pointer, 0) }
        // A connection that was interrupted is being shut down, even if the reply arrived at that moment.
        guard isConnected != 0, !isLate else {
            let failure = unsafe GLibFailure(taking: error)
            throw isLate ? .timedOut : .failed(failure)
        }
        return unsafe OpaquePointer(g_object_ref(UnsafeMutableRawPointer(pointer)))
    }
}

/// Creates the object without connecting; the caller owns it.
private func makeConnection(
    flags: UInt32,
    _ property: String,
    _ type: GType,
    _ setProperty: (UnsafeMutablePointer<GValue>?) -> Void
) -> OpaquePointer {
    var values = [GValue(), GValue()]
    return unsafe values.withUnsafeMutableBufferPointer { values in
        let first = values.baseAddress
        let second = unsafe first?.advanced(by: 1)
        unsafe g_value_init(first, type)
        unsafe setProperty(first)
        unsafe g_value_init(second, g_dbus_connection_flags_get_type())
        unsafe g_value_set_flags(second, flags | G_DBUS_CONNECTION_FLAGS_MESSAGE_BUS_CONNECTION.rawValue)
        defer { unsafe g_value_unset(first) }
        return unsafe property.withCString { propertyName in
            unsafe "flags".withCString { flagsName in
                var names = unsafe [Optional(propertyName), Optional(flagsName)]
                let object = unsafe g_object_new_with_properties(
                    g_dbus_connection_get_type(),
                    2,
                    &names,
                    UnsafePointer(first)
                )
                return unsafe OpaquePointer(UnsafeMutableRawPointer(object!))
            }
        }
    }
}

/// Sends the messages that wait in a connection's queue, then closes the connection and releases the reference to it;
/// all in the background. A child of this process may share the socket; closing it alone would keep the connection, and
/// the names that it owns, until the child ends.
private func closeConnection(_ pointer: OpaquePointer) {
    // A GDBusConnection is thread-safe, and this reference to it is no longer used elsewhere.
    nonisolated(unsafe) let pointer = unsafe pointer
    // Flushing blocks.
    startThreadIfPossible(named: "bus-closing") {
        if unsafe g_dbus_connection_is_closed(pointer) == 0, let stream = unsafe BusStream(of: pointer) {
            // A bus that reads nothing must not keep the connection.
            _ = Deadline.after(.seconds(1)).interrupting(by: { stream.shutDown() }) {
                unsafe g_dbus_connection_flush_sync(pointer, nil, nil)
            }
            stream.shutDown()
        }
        GLibThread.perform {
            if unsafe g_dbus_connection_is_closed(pointer) == 0 {
                unsafe g_dbus_connection_close(pointer, nil, nil, nil)
            }
            unsafe g_object_unref(UnsafeMutableRawPointer(pointer))
        }
    }
}
