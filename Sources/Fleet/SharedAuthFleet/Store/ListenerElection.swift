internal import DesktopSupport
internal import SecretService
internal import SharedAuthRecords

/// The election of the process that listens to the server for all processes of a session: the owner of a name on the
/// session's bus.
///
/// The other processes wait for the name in the order in which they asked. When its owner dies, the bus gives it to the
/// next one.
struct ListenerElection: Sendable {
    /// The result of an election.
    enum Outcome: Sendable {
        /// This process listens.
        case elected(ListenerSeat)
        /// Another process listens.
        case another
    }

    private let service: SecretService

    /// Creates an election on the bus of a Secret Service, which need not have a daemon.
    init(on service: SecretService) { self.service = service }

    /// Creates an election on the bus that a local store uses, or else on the session's.
    init(besides store: any RecordStore) {
        self.init(on: (store as? SecretServiceRecordStore)?.service ?? SecretService())
    }

    /// The name that the listening process of a device owns. Processes that share a local store know the device by the
    /// same id; others do not.
    static func name(of device: String) -> String { "org.sharedauth.fleet_listener.d\(device)" }

    /// Waits until this process is elected, or the deadline passes. Calls `waiting` if another process or another store
    /// of this process is elected.
    ///
    /// Without a usable bus, or if the bus denies the name, the process is elected: it listens for itself.
    func hold(_ device: String, by deadline: Deadline, waiting: () -> Void) -> Outcome {
        let name = Self.name(of: device)
        do throws(SecretServiceError) {
            return .elected(ListenerSeat(try service.acquireName(name, by: deadline, queued: waiting) {}.name))
        } catch {
            if case .waited = error.circumstance { return .another }
            return deadline.isCancelled ? .another : .elected(ListenerSeat(nil))
        }
    }

    /// Returns whether the elected process of a device replies by the deadline. One that is stopped does not.
    func isAnswered(_ device: String, by deadline: Deadline) -> Bool {
        service.isAnswered(Self.name(of: device), by: deadline)
    }
}

/// The right and duty of a process to listen, until it is released.
struct ListenerSeat: Sendable {
    private let name: OwnedBusName?

    fileprivate init(_ name: OwnedBusName?) { self.name = name }

    /// Indicates whether no other process of the session can be elected. False once the bus is gone.
    var isHeld: Bool { name?.isLost != true }

    func release() { name?.release() }
}
