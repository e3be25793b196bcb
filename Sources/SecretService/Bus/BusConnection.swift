internal import CLibsecret
internal import Synchronization

/// A connection of our own to a message bus.
@safe final class BusConnection: @unchecked Sendable {
    // A GDBusConnection is made to be shared by threads; the other members are constant or protect themselves.
    private let pointer: OpaquePointer
    let gate: CallGate
    let sandbox: Sandbox?
    private let isOpened = Atomic<Bool>(false)

    /// The plain session with the provider, opened when first needed.
    let session = Renewable<Session>()
    /// Who of this process is next for a bus name.
    let nameQueue = NameQueue()

    /// Takes over the reference.
    private init(taking pointer: OpaquePointer, gate: CallGate, sandbox: Sandbox?) {
        unsafe self.pointer = pointer
        self.gate = gate
        self.sandbox = sandbox
    }

    deinit {
        // On the GLib thread, because closing reports to the context of the thread that asks for it.
        unsafe closeConnection(pointer, wasOpened: isOpened.load(ordering: .acquiring))
    }

    /// Connects to the bus at `address` and says hello.
    static func open(
        _ address: String,
        gate: CallGate,
        sandbox: Sandbox?,
        by deadline: Deadline
    ) throws(SecretServiceError) -> BusConnection {
        let cancellable = Cancellable()
        let thread = GLibThread.shared
        // A connection reports its closing to the context of the thread that made it: that has to be ours.
        let made = thread.run(by: deadline) {
            unsafe BusConnection(taking: makeConnection(address), gate: gate, sandbox: sandbox)
        }
        guard let made, !deadline.isPast else { throw .timedOut(doing: "connecting to the message bus") }
        let timer = thread.timer(after: deadline.remaining) { cancellable.cancel() }
        defer { withExtendedLifetime(timer) {} }
        var error: UnsafeMutablePointer<GError>?
        let connected = unsafe cancellable.withUnsafePointer { cancellable in
            unsafe g_initable_init(made.pointer, cancellable, &error)
        }
        guard connected != 0 else {
            throw .connecting(unsafe GLibFailure(taking: error))
        }
        unsafe g_dbus_connection_set_exit_on_close(made.pointer, 0)
        made.isOpened.store(true, ordering: .releasing)
        return made
    }

    var isClosed: Bool {
        unsafe g_dbus_connection_is_closed(pointer) != 0
    }

    /// Our own name on the bus.
    var uniqueName: String {
        unsafe String(cString: g_dbus_connection_get_unique_name(pointer))
    }

    /// Sends a request and waits for its answer.
    func call(_ request: BusRequest, by deadline: Deadline) throws(SecretServiceError) -> Variant {
        try gate.pass(request) { perform(request, by: deadline) }.get()
    }

    private func perform(_ request: BusRequest, by deadline: Deadline) -> Result<Variant, SecretServiceError> {
        guard !deadline.isPast else { return .failure(.neverSent(request, by: deadline)) }
        var error: UnsafeMutablePointer<GError>?
        let answer = unsafe request.withArguments { arguments in
            unsafe g_dbus_connection_call_sync(
                pointer,
                request.destination,
                request.path,
                request.interface,
                request.member,
                arguments,
                nil,
                G_DBUS_CALL_FLAGS_NONE,
                max(1, deadline.remaining.wholeMilliseconds),
                nil,
                &error
            )
        }
        return unsafe request.result(taking: answer, error, in: sandbox)
    }

    /// Lends the connection to a GLib function.
    func withUnsafePointer<Result>(_ body: (OpaquePointer) -> Result) -> Result {
        defer { withExtendedLifetime(self) {} }
        return unsafe body(pointer)
    }
}
