internal import DesktopSupport
internal import Synchronization

/// A connection to the message bus of the Secret Service, and what belongs to it: the session, the names that it owns, the
/// program that answers.
final class ServiceConnection: Sendable {
    private let bus: BusConnection
    let gate: CallGate
    let sandbox: Sandbox?

    /// The plain session with the daemon, opened when first needed.
    let session = LazyResource<Session>()
    /// The session that is being opened for a caller that has given up.
    let lateSession = Mutex<UninterruptedReply?>(nil)
    /// The order in which this process's threads get a bus name.
    let nameQueue = NameQueue()
    /// The program that has answered.
    let answering = Mutex(AnsweringProgram())
    /// Whether the bus gives process ids of this process's own namespace; nil until it was asked.
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
                case .failed(let failure): SecretServiceError.connecting(failure)
                }
            }
        gate.noteConnecting(bus, since: departure)
        return ServiceConnection(try bus.get(), gate: gate, sandbox: sandbox)
    }

    /// The bus's own id, which no other bus has.
    var busID: String { bus.busID }

    /// Whether the bus or the network has closed it.
    var isClosed: Bool { bus.isClosed }

    /// The connection's own name on the bus.
    var uniqueName: String { bus.uniqueName }

    /// Calls `receive` on the GLib thread for each signal that one of `rules` names, and once if the connection closes.
    ///
    /// No signal that a later call causes is missed, since the bus takes the messages of a connection in order.
    func subscribe(
        to rules: [SignalRule],
        by deadline: Deadline,
        _ receive: @escaping @Sendable (BusEvent) -> Void
    ) throws(SecretServiceError) -> Subscription {
        guard let subscription = bus.subscribe(to: rules, by: deadline, receive) else {
            throw .timedOut(doing: "subscribing to signals")
        }
        return subscription
    }

    /// Lends the connection to a GLib function.
    func withUnsafePointer<Result>(_ body: (OpaquePointer) -> Result) -> Result {
        unsafe bus.withUnsafePointer(body)
    }
}
