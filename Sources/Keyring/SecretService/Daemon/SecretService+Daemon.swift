internal import DesktopSupport
internal import Glibc
internal import Synchronization

/// The program that provides the Secret Service: the sender of the last good reply on a connection.
struct AnsweringProgram: Sendable {
    /// Its unique name; nil if there was no good reply yet.
    var sender: String?
    /// The last program that was identified on the bus.
    var known: KeyringDaemon?

    /// Returns the program with the unique name `name` if it is the one that was identified.
    func daemon(named name: String) -> KeyringDaemon? {
        known.flatMap { known in known.uniqueName == name ? known : nil }
    }
}

extension SecretService {
    /// Returns the program that provides the Secret Service. The bus starts one if none is running and it knows how.
    ///
    /// Costs one round trip to the bus for GNOME Keyring, and a second one for another daemon until it is known; none
    /// to the daemon.
    /// - Throws: `.noDaemon` if none is running and none could be started.
    public func daemon(by deadline: Deadline? = nil) throws(SecretServiceError) -> KeyringDaemon {
        let deadline = self.deadline(by: deadline)
        let connection = try connection(by: deadline)
        let name = try Wire.busName(configuration.busName)
        var found = try present(name, on: connection, by: deadline)
        if found == nil {
            let start = BusRequest.bus("StartServiceByName", .tuple(.string(name), .uint32(0)), answer: "(u)")
            _ = try connection.call(start, by: deadline)
            found = try present(name, on: connection, by: deadline)
        }
        guard let found else {
            throw SecretServiceError(.noDaemon, in: "GetNameOwner for \(name)")
        }
        let daemon = try identified(found, on: connection, by: deadline)
        // Changes of owner that the bus reported before these replies are delivered before this method returns.
        GLibThread.catchUp(by: deadline)
        return daemon
    }

    /// Returns the program that sent the last good reply on the open connection; nil if there was no reply yet.
    ///
    /// Each program is identified on the bus once, so this costs a round trip only after the first reply of a program.
    /// For a program without a bus name of a known kind it costs another one each time, since the program may own such
    /// a name by now. No program is started. A program that has ended has neither a process ID nor a name.
    /// - Throws: An error if the bus does not reply by the deadline.
    package func answeringDaemon(by deadline: Deadline) throws(SecretServiceError) -> KeyringDaemon? {
        guard !GLibThread.isCurrent else { throw .calledFromHandler }
        guard let connection = presentConnection else { return nil }
        let answering = connection.answering.withLock { $0 }
        guard let sender = answering.sender else { return nil }
        let found: KeyringDaemon
        if let known = answering.daemon(named: sender) {
            found = known
        } else {
            let description = try askForDescription(of: sender, on: connection, by: deadline)
            found = try description(sender, deadline)
        }
        return try identified(found, on: connection, by: deadline)
    }

    /// The identifier of the program run that sent the last good reply; nil if there was no reply yet. Sends nothing.
    package var answeringInstanceID: String? {
        guard let connection = presentConnection, let sender = lastSender else { return nil }
        return "\(connection.busID)\(sender)"
    }

    /// The unique name of the program that sent the last good reply on the open connection.
    var lastSender: String? {
        presentConnection?.answering.withLock(\.sender)
    }

    /// The program that sent the last good reply, if it has been identified. Sends nothing.
    package var knownDaemon: KeyringDaemon? {
        presentConnection?.answering.withLock { answering in answering.sender.flatMap(answering.daemon(named:)) }
    }

    /// Requests the daemon's identity, unless a program has been identified already. The returned closure waits for the
    /// replies and stores them. A program that starts later is identified when needed.
    func askForDaemon(
        on connection: ServiceConnection,
        by deadline: Deadline
    ) throws(SecretServiceError) -> ((Deadline) -> Void)? {
        guard connection.answering.withLock({ $0.known }) == nil else { return nil }
        let name = try Wire.busName(configuration.busName)
        let context = AnswerContext()
        guard let owner = try? connection.begin(.owner(of: name), awaitedIn: context, by: deadline),
            let description = try? askForDescription(of: name, on: connection, in: context, by: deadline)
        else { return nil }
        return { deadline in
            guard case .success(let owner) = owner.wait(by: deadline) else { return }
            _ = try? description(owner.body[0].string, deadline)
        }
    }
}

// MARK: - Requests to the bus

extension SecretService {
    /// Returns the present owner of the Secret Service's name; nil if it has no owner. Costs one round trip.
    private func present(
        _ name: String,
        on connection: ServiceConnection,
        by deadline: Deadline
    ) throws(SecretServiceError) -> KeyringDaemon? {
        if connection.answering.withLock({ $0.known }) != nil {
            // Most likely the owner is unchanged, and one request is enough.
            guard let owner = try owner(of: name, on: connection, by: deadline) else { return nil }
            if let known = connection.answering.withLock({ $0.daemon(named: owner) }) { return known }
            return try askForDescription(of: owner, on: connection, by: deadline)(owner, deadline)
        }
        // If the owner changes between the two requests, the next request detects it.
        let context = AnswerContext()
        let owner = try connection.begin(.owner(of: name), awaitedIn: context, by: deadline)
        let description = try askForDescription(of: name, on: connection, in: context, by: deadline)
        guard let found = try answeredOwner(owner, on: connection, by: deadline) else { return nil }
        return try description(found, deadline)
    }

    /// Requests the description of a name's owner: its process ID, whether the bus reports IDs of this process's
    /// namespace, and the owner of GNOME Keyring's name, usually the same program. The returned closure takes the
    /// owner's unique name, waits for the replies, and describes the owner.
    private func askForDescription(
        of name: String,
        on connection: ServiceConnection,
        in context: AnswerContext = AnswerContext(),
        by deadline: Deadline
    ) throws(SecretServiceError) -> (String, Deadline) throws(SecretServiceError) -> KeyringDaemon {
        let process = try connection.begin(.processID(of: name), awaitedIn: context, by: deadline)
        let names = KeyringDaemon.Kind.gnomeKeyring.facts.busNames
        let owners = try askForOwners(of: names, on: connection, in: context, by: deadline)
        let own = try askForOwnProcess(on: connection, in: context, by: deadline)
        return { [self] (owner, deadline) throws(SecretServiceError) in
            let processID = try processID(process, on: connection, by: deadline)
            let kind = KeyringDaemon.Kind(of: owner, among: try owners(deadline))
            return remember(owner, try own(deadline) ? processID : nil, kind, on: connection)
        }
    }

    /// Determines the kind of a daemon whose kind was unknown at the first request. Costs one round trip for such a
    /// daemon.
    private func identified(
        _ daemon: KeyringDaemon,
        on connection: ServiceConnection,
        by deadline: Deadline
    ) throws(SecretServiceError) -> KeyringDaemon {
        if daemon.kind.isKnown { return daemon }
        let owners = try askForOwners(of: KeyringDaemon.Kind.busNames, on: connection, by: deadline)(deadline)
        let kind = KeyringDaemon.Kind(of: daemon.uniqueName, among: owners)
        return remember(daemon.uniqueName, daemon.processID, kind, on: connection)
    }

    /// Requests the owners of the kinds' bus names, all at the same time. Starts none of their programs.
    private func askForOwners(
        of names: [String],
        on connection: ServiceConnection,
        in context: AnswerContext = AnswerContext(),
        by deadline: Deadline
    ) throws(SecretServiceError) -> (Deadline) throws(SecretServiceError) -> [String: String] {
        var asked: [(name: String, owner: PendingAnswer)] = []
        for name in names {
            asked.append((name, try connection.begin(.owner(of: name), awaitedIn: context, by: deadline)))
        }
        return { [self, asked] (deadline) throws(SecretServiceError) in
            var owners: [String: String] = [:]
            for (name, owner) in asked {
                do throws(SecretServiceError) {
                    owners[name] = try answeredOwner(owner, on: connection, by: deadline)
                } catch {
                    // A sandbox's bus may refuse to report an owner. The owner is then unknown.
                    guard error.remoteErrorName != nil else { throw error }
                }
            }
            return owners
        }
    }

    /// Requests this process's ID from the bus, unless the answer is known. The returned closure returns true if the
    /// bus reports IDs of this process's namespace: in another namespace, the same ID is another process.
    private func askForOwnProcess(
        on connection: ServiceConnection,
        in context: AnswerContext,
        by deadline: Deadline
    ) throws(SecretServiceError) -> (Deadline) throws(SecretServiceError) -> Bool {
        if case .flatpak = configuration.sandbox { return { _ in false } }
        if let known = connection.countsProcessesAlike.withLock({ $0 }) { return { _ in known } }
        let request = BusRequest.processID(of: connection.uniqueName)
        let own = try connection.begin(request, awaitedIn: context, by: deadline)
        return { [self] (deadline) throws(SecretServiceError) in
            let isAlike = try processID(own, on: connection, by: deadline) == getpid()
            connection.countsProcessesAlike.withLock { $0 = isAlike }
            return isAlike
        }
    }

    /// Describes a program and stores the description. Another thread may have determined its kind meanwhile.
    private func remember(
        _ owner: String,
        _ processID: Int32?,
        _ kind: KeyringDaemon.Kind?,
        on connection: ServiceConnection
    ) -> KeyringDaemon {
        let program = processID.flatMap(ProgramName.ofProcess)
        return connection.answering.withLock { answering in
            let known = answering.daemon(named: owner).flatMap { $0.kind.isKnown ? $0.kind : nil }
            let daemon = KeyringDaemon(
                uniqueName: owner,
                processID: processID,
                executableName: program,
                busID: connection.busID,
                kind: kind ?? known ?? .other(program)
            )
            answering.known = daemon
            return daemon
        }
    }

    /// Returns the unique name of a well-known name's owner; nil if it has no owner.
    func owner(
        of name: String,
        on connection: ServiceConnection,
        by deadline: Deadline
    ) throws(SecretServiceError) -> String? {
        try nilIfUnowned { () throws(SecretServiceError) in
            try connection.call(.owner(of: name), by: deadline)[0].string
        }
    }

    private func answeredOwner(
        _ owner: PendingAnswer,
        on connection: ServiceConnection,
        by deadline: Deadline
    ) throws(SecretServiceError) -> String? {
        try nilIfUnowned { () throws(SecretServiceError) in
            try connection.wait(for: owner, by: deadline)[0].string
        }
    }

    func nilIfUnowned<Found>(
        _ find: () throws(SecretServiceError) -> Found
    ) throws(SecretServiceError) -> Found? {
        do throws(SecretServiceError) {
            return try find()
        } catch {
            guard error.remoteErrorName == "org.freedesktop.DBus.Error.NameHasNoOwner" else { throw error }
            return nil
        }
    }

    /// Returns the process ID in a reply; nil if the bus does not report it, or it is not in the bus's namespace.
    func processID(
        _ answer: PendingAnswer,
        on connection: ServiceConnection,
        by deadline: Deadline
    ) throws(SecretServiceError) -> Int32? {
        do throws(SecretServiceError) {
            return Int32(exactly: try connection.wait(for: answer, by: deadline)[0].uint32).flatMap {
                $0 > 0 ? $0 : nil
            }
        } catch {
            // A sandbox's bus may not report it, or the program has ended.
            guard error.remoteErrorName != nil else { throw error }
            return nil
        }
    }
}

extension BusRequest {
    /// Creates a request for the unique name of a well-known name's owner.
    static func owner(of name: String) -> BusRequest {
        .bus("GetNameOwner", .tuple(.string(name)), answer: "(s)")
    }

    /// Creates a request for the process ID of a name's owner. The name may be unique or well-known.
    static func processID(of name: String) -> BusRequest {
        .bus("GetConnectionUnixProcessID", .tuple(.string(name)), answer: "(u)")
    }
}
