internal import CLibsecret
internal import GLibSupport

extension BusConnection {
    /// Connects to the bus at `address` and says hello.
    static func open(
        _ address: String,
        gate: CallGate,
        sandbox: Sandbox?,
        by deadline: Deadline
    ) throws(SecretServiceError) -> BusConnection {
        let opened: OpenedConnection
        if let stream = try BusStream.open(address, by: deadline) {
            opened = try OpenedConnection.onStream(stream, by: deadline)
        } else {
            opened = try OpenedConnection.atAddress(address, by: deadline)
        }
        return unsafe BusConnection(
            taking: opened.pointer,
            busID: opened.busID,
            gate: gate,
            sandbox: sandbox
        )
    }
}

/// A connection as GDBus has it, just made.
@safe private struct OpenedConnection: @unchecked Sendable {
    // A GDBusConnection is made to be shared by threads; whoever takes this over owns the reference.
    let pointer: OpaquePointer
    let busID: String

    /// Says hello on a stream that the bus has accepted; no other thread is needed.
    static func onStream(_ stream: BusStream, by deadline: Deadline) throws(SecretServiceError) -> OpenedConnection {
        let made = unsafe try make(by: deadline) {
            unsafe stream.withUnsafePointer { stream in
                unsafe makeConnection(flags: 0, "stream", g_io_stream_get_type()) { value in
                    unsafe g_value_set_object(value, stream)
                }
            }
        }
        try made.sayHello(nil)
        return unsafe OpenedConnection(pointer: made.pointer, busID: stream.busID)
    }

    /// Leaves the whole of it to GDBus, which knows more addresses and ways to authenticate, and a timer to the GLib thread.
    static func atAddress(_ address: String, by deadline: Deadline) throws(SecretServiceError) -> OpenedConnection {
        let flags = G_DBUS_CONNECTION_FLAGS_AUTHENTICATION_CLIENT.rawValue
        let made = unsafe try make(by: deadline) {
            unsafe makeConnection(flags: flags, "address", g_type_from_name("gchararray")) { value in
                unsafe g_value_set_string(value, address)
            }
        }
        let cancellable = Cancellable()
        let timer = GLibThread.shared.timer(after: deadline.remaining) { cancellable.cancel() }
        defer { withExtendedLifetime(timer) {} }
        try made.sayHello(cancellable)
        let busID = unsafe g_dbus_connection_get_guid(made.pointer).map { guid in unsafe String(cString: guid) }
        return unsafe OpenedConnection(pointer: made.pointer, busID: busID ?? "")
    }

    /// Makes the object where GDBus is to report its closing.
    private static func make(
        by deadline: Deadline,
        _ make: @escaping @Sendable () -> OpaquePointer
    ) throws(SecretServiceError) -> OpenedConnection {
        let made = GLibThread.perform(by: deadline) { unsafe OpenedConnection(pointer: make(), busID: "") }
        guard let made, !deadline.isPast else {
            if let made { unsafe g_object_unref(UnsafeMutableRawPointer(made.pointer)) }
            throw .timedOut(doing: "connecting to the message bus")
        }
        return made
    }

    private func sayHello(_ cancellable: Cancellable?) throws(SecretServiceError) {
        var error: UnsafeMutablePointer<GError>?
        let isConnected: gboolean
        if let cancellable {
            isConnected = unsafe cancellable.withUnsafePointer { cancellable in
                unsafe g_initable_init(pointer, cancellable, &error)
            }
        } else {
            isConnected = unsafe g_initable_init(pointer, nil, &error)
        }
        guard isConnected != 0 else {
            unsafe g_object_unref(UnsafeMutableRawPointer(pointer))
            throw .connecting(unsafe GLibFailure(taking: error))
        }
        unsafe g_dbus_connection_set_exit_on_close(pointer, 0)
    }
}

/// Makes the object without connecting; the caller owns it.
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

/// Closes a connection, which takes place in the background, and gives up the reference to it.
func closeConnection(_ pointer: OpaquePointer) {
    // A GDBusConnection is made to be shared by threads, and this reference to it is used nowhere else any more.
    nonisolated(unsafe) let pointer = unsafe pointer
    GLibThread.perform {
        if unsafe g_dbus_connection_is_closed(pointer) == 0 {
            unsafe g_dbus_connection_close(pointer, nil, nil, nil)
        }
        unsafe g_object_unref(UnsafeMutableRawPointer(pointer))
    }
}
