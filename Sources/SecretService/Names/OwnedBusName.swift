internal import DesktopSupport
internal import Glibc
internal import Synchronization

/// A bus name that this process owns; no other process on the bus can own it meanwhile.
///
/// It is given up by ``release()``, when the last reference to this object goes, or when the process or the connection ends.
public final class OwnedBusName: Sendable {
    /// The name.
    public let name: String

    fileprivate let service: SecretService
    fileprivate let connection: ServiceConnection
    private let ticket: UInt64
    private let isReleased = Atomic<Bool>(false)

    init(_ name: String, of service: SecretService, on connection: ServiceConnection, ticket: UInt64) {
        self.name = name
        self.service = service
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

extension OwnedBusName {
    /// The owned name behind which this thread makes its calls.
    @TaskLocal fileprivate static var guardian: OwnedBusName?

    /// Does `body`, whose calls of the name's service go over the connection that owns the name, and fail once the bus has closed
    /// that: on a new connection, another process might own the name.
    package func whileOwned<Done>(_ body: () throws(SecretServiceError) -> Done) throws(SecretServiceError) -> Done {
        try Self.$guardian.withValue(self) {
            Result { () throws(SecretServiceError) in try body() }
        }.get()
    }
}

extension SecretService {
    /// The connection over which calls are to be made now, if it is not for this service to choose.
    ///
    /// - Throws: `.busClosed` if the bus has closed it.
    var guardingConnection: ServiceConnection? {
        get throws(SecretServiceError) {
            guard let name = OwnedBusName.guardian, name.service === self else { return nil }
            if name.connection.isClosed { throw .lostLock(name.name) }
            return name.connection
        }
    }
}

extension SecretService {
    /// Owns a name on the bus, and waits until its present owner gives it up: a lock between processes.
    ///
    /// It replaces no owner and allows none to replace it. Those who wait get the name in order, whether in this process or
    /// another. Throws `.timedOut` if the name has another owner at the deadline, whom the error names, and then no longer waits for
    /// it; `.timedOut` as well if the bus does not answer within the time of a call; `.denied` if the bus does not allow this process
    /// to own it; `.invalidArgument` if it is not a well-known name.
    public func acquireName(_ name: String, by deadline: Deadline? = nil) throws(SecretServiceError) -> OwnedBusName {
        try acquireName(name, by: self.deadline(by: deadline)) {}.name
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
        let start = ContinuousClock.now
        let connection = try connection(by: timeOfBus(within: deadline))
        guard let ticket = connection.nameQueue.join(name, by: deadline) else {
            if deadline.isCancelled { throw .cancelled("RequestName", name) }
            let ownership = try ownership(of: name, on: connection, by: .after(Self.grace))
            throw .waited(LockWait(ownership?.holder ?? .thisProcess, since: start), for: name)
        }
        // From here on this object gives the name up again, even if it is granted too late.
        let owned = OwnedBusName(name, of: self, on: connection, ticket: ticket)
        do throws(SecretServiceError) {
            let request = BusRequest.bus("RequestName", .tuple(.string(name), .uint32(0)), answer: "(u)")
            let answerTime = timeOfBus(within: deadline)
            let grant = try connection.begin(request, by: answerTime)
            let seen = look()
            // What `look` waits for may take all the time, and the answer of the bus lies there meanwhile: it is not the bus that is late.
            let isLate = answerTime.isPast && !deadline.isCancelled
            switch try connection.wait(for: grant, by: isLate ? .after(Self.grace) : answerTime)[0].uint32 {
            case 1, 4:
                return (owned, seen)
            default:
                try awaitGrant(for: name, on: connection, since: start, by: deadline)
                return (owned, look())
            }
        } catch {
            owned.release()
            throw error
        }
    }

    /// The process that owns a name on the bus, which others may wait for; nil if the name is free.
    package func holder(ofName name: String, by deadline: Deadline) throws(SecretServiceError) -> LockWait.Holder? {
        let name = try Wire.busName(name)
        let connection = try connection(by: deadline)
        return try ownership(of: name, on: connection, by: deadline)?.holder
    }

    private enum Grant: Sendable {
        case granted, busClosed
    }

    /// The bus answers at once or not at all, however long an owner of a name may be waited for.
    private func timeOfBus(within deadline: Deadline) -> Deadline { deadline.atMost(configuration.timeout) }

    /// Waits until the bus, which has queued this connection, grants the name.
    private func awaitGrant(
        for name: String,
        on connection: ServiceConnection,
        since start: ContinuousClock.Instant,
        by deadline: Deadline
    ) throws(SecretServiceError) {
        do throws(SecretServiceError) {
            if try isGranted(name, on: connection, by: deadline) { return }
        } catch {
            // Between the two questions the deadline may pass, too.
            guard error.code == .timedOut, deadline.isPast else { throw error }
        }
        if deadline.isCancelled { throw .cancelled("RequestName", name) }
        let ownership = try ownership(of: name, on: connection, by: .after(Self.grace))
        // It may have been granted in the very moment the deadline passed.
        if ownership?.connection == connection.uniqueName { return }
        throw .waited(LockWait(ownership?.holder ?? .unknown, since: start), for: name)
    }

    /// Waits for the grant; false at the deadline.
    private func isGranted(
        _ name: String,
        on connection: ServiceConnection,
        by deadline: Deadline
    ) throws(SecretServiceError) -> Bool {
        let grant = Monitor<Grant?>(nil)
        let acquired = SignalRule(
            sender: "org.freedesktop.DBus",
            interface: "org.freedesktop.DBus",
            member: "NameAcquired",
            path: "/org/freedesktop/DBus",
            firstArgument: name
        )
        let answerTime = timeOfBus(within: deadline)
        let subscription = try connection.subscribe(to: [acquired], by: answerTime) { event in
            grant.update { grant in
                if case .closed = event { grant = .busClosed } else { grant = .granted }
            }
        }
        defer { subscription.end() }
        // The name may have been granted before the subscription was made.
        if try owner(of: name, on: connection, by: answerTime) == connection.uniqueName { return true }
        switch grant.wait(until: deadline, { $0 }) {
        case .granted:
            return true
        case .busClosed:
            throw SecretServiceError(.busClosed, in: "RequestName for \(name)")
        case nil:
            return false
        }
    }
}

extension SecretService {
    /// The time past its deadline in which a call may identify the process that it waited for.
    private static let grace = Duration.milliseconds(250)

    /// Asks, all together, who owns a name, which process that is, and whether the bus counts processes as this one does.
    ///
    /// - Returns: the owner's connection, and what is known of the process; nil if the name is free.
    private func ownership(
        of name: String,
        on connection: ServiceConnection,
        by deadline: Deadline
    ) throws(SecretServiceError) -> (connection: String, holder: LockWait.Holder)? {
        let context = AnswerContext()
        let owner = try connection.begin(.owner(of: name), awaitedIn: context, by: deadline)
        let asked = try [name, connection.uniqueName].map { name throws(SecretServiceError) in
            try connection.begin(.processID(of: name), awaitedIn: context, by: deadline)
        }
        let found = try nilIfUnowned { () throws(SecretServiceError) in
            try connection.wait(for: owner, by: deadline)[0].string
        }
        guard let found else { return nil }
        if found == connection.uniqueName { return (found, .thisProcess) }
        var processes: [Int32?] = []
        for answer in asked {
            processes.append(try processID(answer, on: connection, by: deadline))
        }
        guard processes[1] == getpid(), let number = processes[0] else { return (found, .unknown) }
        if number == getpid() { return (found, .thisProcess) }
        return (found, HoldingProcess(processID: number).map(LockWait.Holder.process) ?? .unknown)
    }
}
