internal import GLibSupport
internal import Synchronization

/// A bus name that this process owns; nobody else on the bus can own it meanwhile.
///
/// It is given up by ``release()``, when nobody holds this object any more, or when the process or the connection ends.
public final class OwnedBusName: Sendable {
    /// The name.
    public let name: String

    private let connection: BusConnection
    private let ticket: UInt64
    private let isReleased = Atomic<Bool>(false)

    init(_ name: String, on connection: BusConnection, ticket: UInt64) {
        self.name = name
        self.connection = connection
        self.ticket = ticket
    }

    deinit {
        release()
    }

    /// Whether the name is still ours: not released, and the bus has not closed the connection.
    public var isHeld: Bool {
        !isReleased.load(ordering: .acquiring) && !connection.isClosed
    }

    /// Gives the name up, for the next in the queue to own; does nothing the second time. Does not wait and cannot fail.
    public func release() {
        guard !isReleased.exchange(true, ordering: .acquiringAndReleasing) else { return }
        connection.post(.bus("ReleaseName", .tuple(.string(name)), answer: "(u)"))
        connection.nameQueue.leave(name, ticket)
    }
}

extension SecretService {
    /// Owns a name on the bus, waiting for whoever owns it now to give it up: a lock between processes.
    ///
    /// Nobody is displaced, and the name is not given up to anyone who asks. Whoever waits is served in order, whether in this
    /// process or another. Throws `.timedOut` if the name is still another's at the deadline, having left the queue;
    /// `.denied` if the bus allows nobody like us to own it; `.invalidArgument` if it is not a well-known name.
    public func acquireName(_ name: String, by deadline: Deadline? = nil) throws(SecretServiceError) -> OwnedBusName {
        try acquireName(name, by: self.deadline(deadline)) {}.name
    }

    /// Owns a name, and does `look`, which calls through this very object, while the name is owned.
    ///
    /// Where nobody else has the name, looking costs no time of its own: `look` begins while the request is on its way. That
    /// is sound because the bus takes the messages of one connection in order, and grants a name before it passes the next
    /// message on: whoever answers `look` does so after the grant, and after everything a former owner was answered before it
    /// gave the name up. Where the bus has queued us instead, what was seen is thrown away, and `look` is done again
    /// when our turn has come.
    package func acquireName<Seen>(
        _ name: String,
        by deadline: Deadline,
        looking look: () -> Seen
    ) throws(SecretServiceError) -> (name: OwnedBusName, seen: Seen) {
        let name = try Wire.busName(name)
        let connection = try connection(by: deadline)
        guard let ticket = connection.nameQueue.join(name, by: deadline) else {
            throw .timedOut(doing: "waiting for the bus name \(name)")
        }
        // From here on this object sees to it that the name is given up again, even one granted too late.
        let owned = OwnedBusName(name, on: connection, ticket: ticket)
        do throws(SecretServiceError) {
            let request = BusRequest.bus("RequestName", .tuple(.string(name), .uint32(0)), answer: "(u)")
            let grant = try connection.begin(request, by: deadline)
            let seen = look()
            switch try connection.wait(for: grant, by: deadline)[0].uint32 {
            case 1, 4:
                return (owned, seen)
            default:
                try awaitTurn(for: name, on: connection, by: deadline)
                return (owned, look())
            }
        } catch {
            owned.release()
            throw error
        }
    }

    private enum Grant: Sendable {
        case granted, busClosed
    }

    /// Waits until the bus, which has queued us, hands us the name.
    private func awaitTurn(
        for name: String,
        on connection: BusConnection,
        by deadline: Deadline
    ) throws(SecretServiceError) {
        let grant = Monitor<Grant?>(nil)
        let acquired = SignalRule(
            sender: "org.freedesktop.DBus",
            interface: "org.freedesktop.DBus",
            member: "NameAcquired",
            path: "/org/freedesktop/DBus",
            firstArgument: name
        )
        let subscription = try connection.subscribe(to: [acquired], by: deadline) { event in
            grant.update { grant in
                if case .closed = event { grant = .busClosed } else { grant = .granted }
            }
        }
        defer { subscription.end() }
        // The name may have become ours before we listened.
        if try owner(of: name, on: connection, by: deadline) == connection.uniqueName { return }
        switch grant.wait(until: deadline, { $0 }) {
        case .granted:
            return
        case .busClosed:
            throw SecretServiceError(
                code: .busClosed,
                message: "RequestName for \(name): \(SecretServiceError.explanation(of: .busClosed))"
            )
        case nil:
            throw .timedOut(doing: "waiting for the bus name \(name)")
        }
    }
}

/// The threads of this process that want or hold a bus name, first come, first served.
///
/// A bus queues connections, not threads: to a second request from one connection it answers that the name is its own.
final class NameQueue: Sendable {
    private struct State {
        var nextTicket: UInt64 = 0
        var tickets: [String: [UInt64]] = [:]
    }

    private let monitor = Monitor(State())

    /// Waits for the caller's turn; nil at the deadline. The turn lasts until `leave`.
    func join(_ name: String, by deadline: Deadline) -> UInt64? {
        let ticket = monitor.update { state in
            state.nextTicket += 1
            state.tickets[name, default: []].append(state.nextTicket)
            return state.nextTicket
        }
        let isFirst: Void? = monitor.wait(until: deadline) { state in
            state.tickets[name]?.first == ticket ? () : nil
        }
        guard isFirst != nil else {
            leave(name, ticket)
            return nil
        }
        return ticket
    }

    /// Ends a turn, or gives up waiting for it.
    func leave(_ name: String, _ ticket: UInt64) {
        monitor.update { state in
            state.tickets[name]?.removeAll { $0 == ticket }
            if state.tickets[name]?.isEmpty == true {
                state.tickets[name] = nil
            }
        }
    }
}
