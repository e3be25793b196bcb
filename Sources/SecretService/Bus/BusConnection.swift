internal import CLibsecret
internal import GLibSupport
internal import Synchronization

/// A connection of our own to a message bus.
@safe final class BusConnection: @unchecked Sendable {
    // A GDBusConnection is made to be shared by threads; the other members are constant or protect themselves.
    private let pointer: OpaquePointer
    let gate: CallGate
    let sandbox: Sandbox?
    /// The bus's own id, which no other bus has.
    let busID: String

    /// The plain session with the provider, opened when first needed.
    let session = Recreatable<Session>()
    /// The session that is being opened for a caller who waits no longer.
    let lateSession = Mutex<UncutAnswer?>(nil)
    /// Who of this process is next for a bus name.
    let nameQueue = NameQueue()
    /// Which program has answered.
    let answering = Mutex(AnsweringProgram())

    /// Takes over the reference to a connection that is open.
    init(taking pointer: OpaquePointer, busID: String, gate: CallGate, sandbox: Sandbox?) {
        unsafe self.pointer = pointer
        self.busID = busID
        self.gate = gate
        self.sandbox = sandbox
    }

    deinit {
        unsafe closeConnection(pointer)
    }

    var isClosed: Bool {
        unsafe g_dbus_connection_is_closed(pointer) != 0
    }

    /// Our own name on the bus.
    var uniqueName: String {
        unsafe String(cString: g_dbus_connection_get_unique_name(pointer))
    }

    /// Lends the connection to a GLib function.
    func withUnsafePointer<Result>(_ body: (OpaquePointer) -> Result) -> Result {
        defer { withExtendedLifetime(self) {} }
        return unsafe body(pointer)
    }
}

extension BusConnection {
    /// Connects to the bus at `address` and says hello.
    static func open(
        _ address: String,
        gate: CallGate,
        sandbox: Sandbox?,
        by deadline: Deadline
    ) throws(SecretServiceError) -> BusConnection {
        defer { for step in ["AUTH", "Hello"] { gate.noteWait(for: step, sentAfter: gate.endedWaits) } }
        let opened: OpenedConnection
        if let stream = try BusStream.open(address, by: deadline) {
            opened = try OpenedConnection.onStream(stream, by: deadline)
        } else {
            // GDBus knows more addresses and ways to authenticate.
            opened = try OpenedConnection.onStream(
                try BusStream.connect(address, by: deadline),
                G_DBUS_CONNECTION_FLAGS_AUTHENTICATION_CLIENT,
                by: deadline
            )
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

    /// Says hello on a stream, once the bus has accepted us there.
    static func onStream(
        _ stream: BusStream,
        _ flags: GDBusConnectionFlags = G_DBUS_CONNECTION_FLAGS_NONE,
        by deadline: Deadline
    ) throws(SecretServiceError) -> OpenedConnection {
        let made = unsafe try make(by: deadline) {
            unsafe stream.withUnsafePointer { stream in
                unsafe makeConnection(flags: flags.rawValue, "stream", g_io_stream_get_type()) { value in
                    unsafe g_value_set_object(value, stream)
                }
            }
        }
        try made.sayHello(on: stream, by: deadline)
        let busID = unsafe g_dbus_connection_get_guid(made.pointer).map { guid in unsafe String(cString: guid) }
        return unsafe OpenedConnection(pointer: made.pointer, busID: busID ?? stream.busID)
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

    /// Waits for the bus to answer; GDBus gives it 25 seconds, whatever is left of ours.
    private func sayHello(on stream: BusStream, by deadline: Deadline) throws(SecretServiceError) {
        var error: UnsafeMutablePointer<GError>?
        let alarm = Alarm(at: deadline) { stream.shutDown() }
        let isConnected = unsafe g_initable_init(pointer, nil, &error)
        let isLate = alarm.stop()
        guard isConnected != 0 else {
            unsafe g_object_unref(UnsafeMutableRawPointer(pointer))
            let failure = unsafe GLibFailure(taking: error)
            throw isLate ? .timedOut(doing: "connecting to the message bus") : .connecting(failure)
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
