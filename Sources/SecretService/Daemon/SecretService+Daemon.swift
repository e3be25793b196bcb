internal import DesktopSupport
internal import Glibc
internal import Synchronization

/// The program that answers as the Secret Service: the sender of the last good answer on a connection.
struct AnsweringProgram: Sendable {
    /// Its unique name; nil if there was no good answer yet.
    var sender: String?
    /// The last program that was looked up at the bus.
    var known: KeyringDaemon?

    /// The program that has the unique name `name`, if it is the one that was looked up.
    func daemon(named name: String) -> KeyringDaemon? {
        known.flatMap { known in known.uniqueName == name ? known : nil }
    }
}

extension SecretService {
    /// The program that answers as the Secret Service; the bus starts one if none runs and it knows how.
    ///
    /// Costs one round trip to the bus where GNOME Keyring runs, and a second one for another daemon until it is known;
    /// none to the daemon.
    /// - Throws: `.noDaemon` if none runs and none could be started.
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
        // A change of owner that the bus reported before these answers has been delivered when they are returned.
        GLibThread.catchUp(by: deadline)
        return daemon
    }

    /// The program that gave the last good answer on the connection there is; nil if none has answered yet.
    ///
    /// Each program is looked up at the bus once, so this costs a round trip only after the first answer of a program,
    /// and another one each time for a program that owns no bus name of a known kind: it may own one by now. None is
    /// started. A program that has ended by then has neither a process id nor a name.
    /// - Throws: an error if the bus does not answer by the deadline.
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

    /// Which run of which program gave the last good answer; nil if none has answered yet. Sends nothing.
    package var answeringInstanceID: String? {
        guard let connection = presentConnection, let sender = lastSender else { return nil }
        return "\(connection.busID)\(sender)"
    }

    /// The unique name of the program that gave the last good answer on the connection there is.
    var lastSender: String? {
        presentConnection?.answering.withLock(\.sender)
    }

    /// The program that gave the last good answer, if it was looked up; sends nothing.
    package var knownDaemon: KeyringDaemon? {
        presentConnection?.answering.withLock { answering in answering.sender.flatMap(answering.daemon(named:)) }
    }

    /// Requests which program answers, unless one was looked up already. The closure that this returns waits for the
    /// answers and keeps them. A program that starts only now is looked up when it is needed.
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

// MARK: - The questions

extension SecretService {
    /// The present owner of the Secret Service's name; nil if it has none. One round trip.
    private func present(
        _ name: String,
        on connection: ServiceConnection,
        by deadline: Deadline
    ) throws(SecretServiceError) -> KeyringDaemon? {
        if connection.answering.withLock({ $0.known }) != nil {
            // Most likely it still is that one, and one request is enough.
            guard let owner = try owner(of: name, on: connection, by: deadline) else { return nil }
            if let known = connection.answering.withLock({ $0.daemon(named: owner) }) { return known }
            return try askForDescription(of: owner, on: connection, by: deadline)(owner, deadline)
        }
        // If the name changes its owner between the two, the next request finds out.
        let context = AnswerContext()
        let owner = try connection.begin(.owner(of: name), awaitedIn: context, by: deadline)
        let description = try askForDescription(of: name, on: connection, in: context, by: deadline)
        guard let found = try answeredOwner(owner, on: connection, by: deadline) else { return nil }
        return try description(found, deadline)
    }

    /// Requests what describes the owner of a name: its process, whether its processes are counted as this process
    /// counts, and who is GNOME Keyring, which most often it is. The closure that this returns waits for the answers
    /// and describes the owner, whose unique name it is given.
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

    /// Finds out of which kind a daemon is that was of none when it was looked up. One round trip, for those only.
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

    /// Requests who owns the bus names of kinds, all at the same time; this starts none of their programs.
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
                    // A sandbox's bus may refuse to say; then it is not known.
                    guard error.remoteErrorName != nil else { throw error }
                }
            }
            return owners
        }
    }

    /// Requests this process's id as the bus counts, unless that is known. The closure that this returns says whether
    /// the bus counts as this process does: in another namespace, the same number is another process.
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

    /// Describes a program, and keeps the description. What kind it is may have been found out meanwhile.
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

    /// The unique name behind a well-known one; nil if there is none.
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

    /// The process in an answer; nil if the bus does not say, or it is none of the bus's own namespace.
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
            // A sandbox's bus may not say, or the program has ended.
            guard error.remoteErrorName != nil else { throw error }
            return nil
        }
    }
}

extension BusRequest {
    /// A request for the unique name behind a well-known one.
    static func owner(of name: String) -> BusRequest {
        .bus("GetNameOwner", .tuple(.string(name)), answer: "(s)")
    }

    /// A request for the process behind a name, whether unique or well-known.
    static func processID(of name: String) -> BusRequest {
        .bus("GetConnectionUnixProcessID", .tuple(.string(name)), answer: "(u)")
    }
}
