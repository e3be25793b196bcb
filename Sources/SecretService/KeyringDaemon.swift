internal import GLibSupport
internal import Synchronization

/// The process that answers as the Secret Service, described for people.
///
/// It proves nothing: any process of the same user may own the name.
public struct KeyringDaemon: Sendable, Hashable {
    /// The daemon's unique name on the bus; a restarted daemon has another.
    public let uniqueName: String
    /// The daemon's process, if the bus says.
    public let processID: Int32?
    /// The name of the program, such as `gnome-keyring-daemon`, if the system says.
    public let executableName: String?
    /// The bus's own id.
    let busID: String

    /// Which run of which program this is, on whichever bus: another run has another.
    package var instanceID: String { "\(busID)\(uniqueName)" }
}

extension KeyringDaemon {
    /// Whether what the daemon has acknowledged is on the disk; nil for other programs.
    ///
    /// `Tests/KeyringTests` kills each daemon after a write to find out.
    package var isDurable: Bool? {
        switch executableName {
        // It synchronizes its file before it answers.
        case "gnome-keyring-daemon": true
        // They save later; KWallet when five seconds have passed without a write.
        case "keepassxc", "kwalletd5", "kwalletd6", "ksecretd": false
        default: nil
        }
    }

    /// Whether a search shows no prompt even while everything is locked, unlike KeePassXC's; false for programs that are not
    /// known.
    package var searchesSilently: Bool { executableName == "gnome-keyring-daemon" }

    /// Whether it goes on when a prompt of its is dismissed; false for programs that are not known. GNOME Keyring, all versions
    /// so far, aborts if any dialog to unlock is open then, and takes the secrets of the whole desktop along.
    package var survivesDismissal: Bool { executableName.map { $0 != "gnome-keyring-daemon" } ?? false }

    /// Whether a new item has exactly the attributes that it was created with; false for programs that are not known.
    package var keepsAttributes: Bool { executableName == "gnome-keyring-daemon" }
}

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
    /// Throws `.noDaemon` if none runs and none could be started. One round trip to the bus, none to the daemon,
    /// where one runs.
    public func daemon(by deadline: Deadline? = nil) throws(SecretServiceError) -> KeyringDaemon {
        let deadline = self.deadline(deadline)
        let connection = try connection(by: deadline)
        let name = try Wire.busName(configuration.busName)
        var found = try ownerAndProcess(of: name, on: connection, by: deadline)
        if found == nil {
            let start = BusRequest.bus("StartServiceByName", .tuple(.string(name), .uint32(0)), answer: "(u)")
            _ = try connection.call(start, by: deadline)
            found = try ownerAndProcess(of: name, on: connection, by: deadline)
        }
        guard let found else {
            throw SecretServiceError(
                code: .noDaemon,
                message: "GetNameOwner for \(name): \(SecretServiceError.explanation(of: .noDaemon))"
            )
        }
        // A change of owner that the bus reported before these answers has been delivered when they are returned.
        GLibThread.catchUp(by: deadline)
        return remember(found.owner, found.processID, on: connection)
    }

    /// The program that gave the last good answer on the connection there is; nil if none has answered yet.
    ///
    /// Each program is looked up at the bus once, so this costs a round trip only after the first answer of a program. None
    /// is started. A program that has ended by then has neither a process id nor a name. Throws if the bus does not
    /// answer by the deadline.
    package func answeringDaemon(by deadline: Deadline) throws(SecretServiceError) -> KeyringDaemon? {
        guard !GLibThread.isCurrent else { throw .calledFromHandler }
        guard let connection = presentConnection else { return nil }
        let answering = connection.answering.withLock { $0 }
        guard let sender = answering.sender else { return nil }
        if let known = answering.daemon(named: sender) { return known }
        let processID = try processID { () throws(SecretServiceError) in
            try connection.call(.processID(of: sender), by: deadline)
        }
        return remember(sender, processID, on: connection)
    }

    /// The unique name of the program that gave the last good answer on the connection there is.
    var lastSender: String? {
        presentConnection?.answering.withLock(\.sender)
    }

    /// The program that gave the last good answer, if it was looked up; sends nothing.
    package var knownDaemon: KeyringDaemon? {
        presentConnection?.answering.withLock { answering in answering.sender.flatMap(answering.daemon(named:)) }
    }

    /// Requests which program answers, unless one was looked up already. The closure that this returns waits for the answers
    /// and keeps them. A program that starts only now is looked up when it is needed.
    func askForDaemon(
        on connection: ServiceConnection,
        by deadline: Deadline
    ) throws(SecretServiceError) -> ((Deadline) -> Void)? {
        guard connection.answering.withLock({ $0.known }) == nil else { return nil }
        let name = try Wire.busName(configuration.busName)
        let context = AnswerContext()
        guard let owner = try? connection.begin(.owner(of: name), awaitedIn: context, by: deadline),
            let process = try? connection.begin(.processID(of: name), awaitedIn: context, by: deadline)
        else { return nil }
        return { [self] deadline in
            guard case .success(let owner) = owner.wait(by: deadline) else { return }
            let processID = try? processID { () throws(SecretServiceError) in
                try connection.wait(for: process, by: deadline)
            }
            guard let processID else { return }
            _ = remember(owner.body[0].string, processID, on: connection)
        }
    }

    /// Describes a program, and keeps the description.
    private func remember(
        _ owner: String,
        _ processID: Int32?,
        on connection: ServiceConnection
    ) -> KeyringDaemon {
        let daemon = KeyringDaemon(
            uniqueName: owner,
            processID: processID,
            executableName: countsProcessesApart ? nil : processID.flatMap(Self.executableName),
            busID: connection.busID
        )
        connection.answering.withLock { $0.known = daemon }
        return daemon
    }

    /// Whether a process id from the bus does not count in this process's namespace.
    private var countsProcessesApart: Bool {
        if case .flatpak = configuration.sandbox { true } else { false }
    }

    /// The unique name behind a well-known one and its process, requested together; nil if the name has no owner.
    private func ownerAndProcess(
        of name: String,
        on connection: ServiceConnection,
        by deadline: Deadline
    ) throws(SecretServiceError) -> (owner: String, processID: Int32?)? {
        if connection.answering.withLock({ $0.known }) != nil {
            // Most likely it still is that one, and one request is enough.
            guard let owner = try owner(of: name, on: connection, by: deadline) else { return nil }
            if let known = connection.answering.withLock({ $0.daemon(named: owner) }) {
                return (owner, known.processID)
            }
            let processID = try processID { () throws(SecretServiceError) in
                try connection.call(.processID(of: owner), by: deadline)
            }
            return (owner, processID)
        }
        let context = AnswerContext()
        // If the name changes its owner between the two, the next request finds out.
        let owner = try connection.begin(.owner(of: name), awaitedIn: context, by: deadline)
        let process = try connection.begin(.processID(of: name), awaitedIn: context, by: deadline)
        guard
            let found = try nilIfUnowned({ () throws(SecretServiceError) in
                try connection.wait(for: owner, by: deadline)[0].string
            })
        else { return nil }
        let processID = try processID { () throws(SecretServiceError) in
            try connection.wait(for: process, by: deadline)
        }
        return (found, processID)
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

    private func nilIfUnowned<Found>(
        _ find: () throws(SecretServiceError) -> Found
    ) throws(SecretServiceError) -> Found? {
        do throws(SecretServiceError) {
            return try find()
        } catch {
            guard error.remoteErrorName == "org.freedesktop.DBus.Error.NameHasNoOwner" else { throw error }
            return nil
        }
    }

    private func processID(
        _ ask: () throws(SecretServiceError) -> Variant
    ) throws(SecretServiceError) -> Int32? {
        do throws(SecretServiceError) {
            return Int32(exactly: try ask()[0].uint32)
        } catch {
            // A sandbox's bus may not say, or the program has ended.
            guard error.remoteErrorName != nil else { throw error }
            return nil
        }
    }

    private static func executableName(of processID: Int32) -> String? {
        linkTarget("/proc/\(processID)/exe")?.split(separator: "/").last.map(String.init) ?? commandName(of: processID)
    }

    /// The kernel's short name, which every user may read, cut at 15 bytes.
    private static func commandName(of processID: Int32) -> String? {
        guard let text = beginning(ofFile: "/proc/\(processID)/comm"), !text.isEmpty else { return nil }
        return String(text.prefix { $0 != "\n" })
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
