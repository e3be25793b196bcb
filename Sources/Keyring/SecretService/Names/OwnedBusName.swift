internal import DesktopSupport
internal import Glibc
internal import Synchronization

/// A bus name that this process owns. Meanwhile, no other process on the bus can own it.
///
/// The name is given up by ``release()``, when the last reference to this object is released, or when the process or
/// the connection ends.
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

    /// Indicates whether the connection that owned the name is closed, so that another process may own the name.
    package var isLost: Bool { connection.isClosed }

    /// Gives up the name to the next process or thread in the queue. Does not wait, cannot fail, and has no effect the
    /// second time.
    public func release() {
        guard !isReleased.exchange(true, ordering: .acquiringAndReleasing) else { return }
        connection.post(.bus("ReleaseName", .tuple(.string(name)), answer: "(u)"))
        connection.nameQueue.leave(name, ticket)
    }
}

extension OwnedBusName {
    /// The owned name whose connection the current task makes its calls on.
    @TaskLocal fileprivate static var guardian: OwnedBusName?

    /// Calls `body`. Its calls of the name's service use the connection that owns the name, and fail once the bus has
    /// closed it: on a new connection, another process might own the name.
    package func whileOwned<Done>(_ body: () throws(SecretServiceError) -> Done) throws(SecretServiceError) -> Done {
        try Self.$guardian.withValue(self) {
            Result { () throws(SecretServiceError) in try body() }
        }.get()
    }
}

extension SecretService {
    /// The connection that calls must use now; nil if the service may choose it.
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
    /// Acquires a name on the bus, and waits until its present owner gives it up: a lock between processes.
    ///
    /// Replaces no owner and allows no replacement. Waiting threads and processes acquire the name in order. Throws
    /// `.timedOut` if the name has another owner at the deadline, and then stops waiting for it; the error names the
    /// owner. Also throws `.timedOut` if the bus does not reply within the time of a call, `.denied` if the bus does
    /// not allow this process to own the name, `.invalidArgument` if it is not a well-known name.
    public func acquireName(_ name: String, by deadline: Deadline? = nil) throws(SecretServiceError) -> OwnedBusName {
        try acquireName(name, by: self.deadline(by: deadline)) {}.name
    }

    /// Acquires a name, and calls `look`, which calls this service, while the name is owned.
    ///
    /// If the name is free, `look` takes no extra time: it starts before the reply to the request arrives. This is
    /// sound because the bus processes the messages of one connection in order, and grants a name before it delivers
    /// the next message. A reply to `look` was therefore sent after the grant, and after all replies that a former
    /// owner received before it gave up the name. If the bus has queued this connection instead, the result of `look`
    /// is dropped, and `look` is called again once the name is granted.
    ///
    /// - Parameter queued: Called before each wait, for a thread of this process or for another process.
    package func acquireName<Seen>(
        _ name: String,
        by deadline: Deadline,
        queued: () -> Void = {},
        looking look: () -> Seen
    ) throws(SecretServiceError) -> (name: OwnedBusName, seen: Seen) {
        let name = try Wire.busName(name)
        let start = ContinuousClock.now
        let connection = try connection(by: timeOfBus(within: deadline))
        guard let ticket = connection.nameQueue.join(name, by: deadline, queued: queued) else {
            if deadline.isCancelled { throw .cancelled("RequestName", name) }
            let ownership = try ownership(of: name, on: connection, by: .after(Self.grace))
            throw .waited(LockWait(ownership?.holder ?? .thisProcess, since: start), for: name)
        }
        // From here on, this object gives up the name again, even if it is granted too late.
        let owned = OwnedBusName(name, of: self, on: connection, ticket: ticket)
        do throws(SecretServiceError) {
            let request = BusRequest.bus("RequestName", .tuple(.string(name), .uint32(0)), answer: "(u)")
            let answerTime = timeOfBus(within: deadline)
            let grant = try connection.begin(request, by: answerTime)
            let seen = look()
            // The waits in `look` may use up the time while the bus's reply is already here: the bus is not late then.
            let isLate = answerTime.isPast && !deadline.isCancelled
            switch try connection.wait(for: grant, by: isLate ? .after(Self.grace) : answerTime)[0].uint32 {
            case 1, 4:
                return (owned, seen)
            default:
                queued()
                try awaitGrant(for: name, on: connection, since: start, by: deadline)
                return (owned, look())
            }
        } catch {
            owned.release()
            throw error
        }
    }

    /// Returns the process that owns a name on the bus, which others may wait for; nil if the name is free.
    package func holder(ofName name: String, by deadline: Deadline) throws(SecretServiceError) -> LockWait.Holder? {
        let name = try Wire.busName(name)
        let connection = try connection(by: deadline)
        return try ownership(of: name, on: connection, by: deadline)?.holder
    }

    /// Returns whether the process that owns a name on the bus replies by the deadline. One that is stopped does not.
    package func isAnswered(_ name: String, by deadline: Deadline) -> Bool {
        guard let name = try? Wire.busName(name), let connection = try? connection(by: deadline) else { return false }
        let ping = BusRequest(
            destination: name,
            path: "/",
            interface: "org.freedesktop.DBus.Peer",
            member: "Ping",
            arguments: nil,
            answer: "()",
            subject: .bus
        )
        return (try? connection.call(ping, by: deadline)) != nil
    }

    private enum Grant: Sendable {
        case granted, busClosed
    }

    /// Limits the wait for the bus's reply: the bus replies immediately or not at all, independent of the wait for an
    /// owner.
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
            // The deadline may also pass between the two requests.
            guard error.code == .timedOut, deadline.isPast else { throw error }
        }
        if deadline.isCancelled { throw .cancelled("RequestName", name) }
        let ownership = try ownership(of: name, on: connection, by: .after(Self.grace))
        // The name may have been granted at the moment of the deadline.
        if ownership?.connection == connection.uniqueName { return }
        throw .waited(LockWait(ownership?.holder ?? .unknown, since: start), for: name)
    }

    /// Waits for the grant. Returns false at the deadline.
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
    /// The time after its deadline in which a call may identify the process that it waited for.
    private static let grace = Duration.milliseconds(250)

    /// Requests, all at the same time, a name's owner, the owner's process ID, and whether the bus reports IDs of this
    /// process's namespace.
    ///
    /// - Returns: The owner's connection, and the known facts about its process; nil if the name is free.
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
        // The connection of a process that has ended stays open as long as a child has its socket.
        let holder = HoldingProcess(processID: number).map(LockWait.Holder.process)
        return (found, holder ?? .child(of: number, hasEnded: true))
    }
}
