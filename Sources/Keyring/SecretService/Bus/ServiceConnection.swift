internal import DesktopSupport
internal import Synchronization

/// A connection to the message bus of the Secret Service, with the session, the owned names and the program that
/// replied.
final class ServiceConnection: Sendable {
    private let bus: BusConnection
    let gate: CallGate
    let sandbox: Sandbox?

    /// The plain session with the daemon, opened when first needed.
    let session = LazyResource<Session>()
    /// The session that is still being opened after its caller's deadline.
    let lateSession = Mutex<UninterruptedReply?>(nil)
    /// The queue of this process's threads for each bus name.
    let nameQueue = NameQueue()
    /// The program that sent the last good reply.
    let answering = Mutex(AnsweringProgram())
    /// Indicates whether the bus reports process IDs of this process's namespace; nil until requested.
    let countsProcessesAlike = Mutex<Bool?>(nil)

    private init(_ bus: BusConnection, gate: CallGate, sandbox: Sandbox?) {
        self.bus = bus
        self.gate = gate
        self.sandbox = sandbox
    }

    /// Connects to the bus at `address`.
    static func open(
        _ address: String,
        gate: CallGate,
        sandbox: Sandbox?,
        by deadline: Deadline
    ) throws(SecretServiceError) -> ServiceConnection {
        let departure = gate.departure
        let bus = Result { () throws(BusConnectionFailure) in try BusConnection.open(address, by: deadline) }
            .mapError { failure in
                switch failure {
                case .timedOut: SecretServiceError.muteBus(during: "Connecting")
                case .refused(let owner): SecretServiceError.refused(byBusOf: owner)
                case .failed(let failure): SecretServiceError.connecting(failure)
                }
            }
        gate.noteConnecting(bus, since: departure)
        return ServiceConnection(try bus.get(), gate: gate, sandbox: sandbox)
    }

    /// The unique ID of the bus.
    var busID: String { bus.busID }

    /// Indicates whether the bus or the network has closed the connection.
    var isClosed: Bool { bus.isClosed }

    /// The connection's unique name on the bus.
    var uniqueName: String { bus.uniqueName }

    /// Calls `receive` on the GLib thread for each signal that matches one of `rules`, and once if the connection
    /// closes.
    ///
    /// No signal that a later call causes is missed, since the bus processes the messages of a connection in order.
    func subscribe(
        to rules: [SignalRule],
        by deadline: Deadline,
        refused: @escaping @Sendable (String) -> Void = { _ in },
        _ receive: @escaping @Sendable (BusEvent) -> Void
    ) throws(SecretServiceError) -> Subscription {
        guard let subscription = bus.subscribe(to: rules, by: deadline, refused: refused, receive) else {
            throw .timedOut(doing: "subscribing to signals")
        }
        return subscription
    }

    /// Calls `body` with the connection, for a GLib function.
    func withUnsafePointer<Result>(_ body: (OpaquePointer) -> Result) -> Result {
        unsafe bus.withUnsafePointer(body)
    }
}
