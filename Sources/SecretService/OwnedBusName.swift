internal import GLibSupport
internal import Synchronization

/// A bus name that this process owns; no other process on the bus can own it meanwhile.
///
/// It is given up by ``release()``, when the last reference to this object goes, or when the process or the connection ends.
public final class OwnedBusName: Sendable {
    /// The name.
    public let name: String

    private let connection: ServiceConnection
    private let ticket: UInt64
    private let isReleased = Atomic<Bool>(false)

    init(_ name: String, on connection: ServiceConnection, ticket: UInt64) {
        self.name = name
        self.connection = connection
        self.ticket = ticket
    }

    deinit {
        release()
    }

    /// Gives the name up to the next in the queue. Does not wait, cannot fail, and does nothing the second time.
    public func release() {
        guard !isReleased.exchange(true, ordering: .acquiringAndReleasing) else { return }
        connection.post(.bus("ReleaseName", .tuple(.string(name)), answer: "(u)"))
        connection.nameQueue.leave(name, ticket)
    }
}

extension SecretService {
    /// Owns a name on the bus, and waits until its present owner gives it up: a lock between processes.
    ///
    /// It replaces no owner and allows none to replace it. Those who wait get the name in order, whether in this process or
    /// another. Throws `.timedOut` if the name has another owner at the deadline, and then no longer waits for it; `.denied`
    /// if the bus does not allow this process to own it; `.invalidArgument` if it is not a well-known name.
    public func acquireName(_ name: String, by deadline: Deadline? = nil) throws(SecretServiceError) -> OwnedBusName {
        try acquireName(name, by: self.deadline(deadline)) {}.name
    }

    /// Owns a name, and does `look`, which calls this service, while the name is owned.
    ///
    /// If the name is free, `look` costs no time of its own: it begins while the request is on its way. That is sound because
    /// the bus takes the messages of one connection in order, and grants a name before it passes the next message on: what
    /// answers `look` does so after the grant, and after all the answers that a former owner got before it gave the name up.
    /// If the bus has queued this connection instead, the result of `look` is dropped, and `look` is done again once the name
    /// is granted.
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
        // From here on this object gives the name up again, even if it is granted too late.
        let owned = OwnedBusName(name, on: connection, ticket: ticket)
        do throws(SecretServiceError) {
            let request = BusRequest.bus("RequestName", .tuple(.string(name), .uint32(0)), answer: "(u)")
            let grant = try connection.begin(request, by: deadline)
            let seen = look()
            switch try connection.wait(for: grant, by: deadline)[0].uint32 {
            case 1, 4:
                return (owned, seen)
            default:
                try awaitGrant(for: name, on: connection, by: deadline)
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

    /// Waits until the bus, which has queued this connection, grants the name.
    private func awaitGrant(
        for name: String,
        on connection: ServiceConnection,
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
        // The name may have been granted before the subscription was made.
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

    /// Waits until the caller is first in the queue; nil at the deadline. It stays first until `leave`.
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

    /// Leaves the queue, whether first or waiting.
    func leave(_ name: String, _ ticket: UInt64) {
        monitor.update { state in
            state.tickets[name]?.removeAll { $0 == ticket }
            if state.tickets[name]?.isEmpty == true {
                state.tickets[name] = nil
            }
        }
    }
}
