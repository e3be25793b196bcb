internal import CGLibSecret
internal import DesktopSupport
internal import Glibc

// Translates the error names of buses and daemons. No other file knows them.
extension SecretServiceError {
    /// Returns the error for a request that ended with `failure`. If the sandbox may be the cause, the message says so.
    static func answering(
        _ request: BusRequest,
        _ failure: GLibFailure,
        in sandbox: Sandbox?
    ) -> SecretServiceError {
        let code = cause(of: failure, of: request)
        let hint = permission(missingFor: request, code).flatMap { sandbox?.missing($0) }
        let explanation = explanation(of: code, failure, request.subject)
        var error = SecretServiceError(
            code: code,
            message: "\(request.member) on \(request.path): \(explanation.problem)\(hint.map { " \($0)" } ?? "")",
            remedy: explanation.remedy,
            outcomeIsUnknown: request.mutates && leavesOutcomeUnknown(code, failure),
            remoteErrorName: failure.remoteName
        )
        error.sender = failure.sender
        if request.subject == .bus, code == .timedOut, failure.remoteName == nil { error.circumstance = .muteBus }
        return error
    }

    /// Returns the error for a connection that could not be opened.
    static func connecting(_ failure: GLibFailure) -> SecretServiceError {
        let code: Code
        switch failure.ioCode {
        case G_IO_ERROR_CANCELLED, G_IO_ERROR_TIMED_OUT: return .muteBus(during: "Connecting")
        case G_IO_ERROR_PERMISSION_DENIED: return .refused(byBusOf: nil)
        default: code = failure.remoteName.map { name in cause(remote: name, subject: .bus) } ?? .noSessionBus
        }
        return SecretServiceError(code, in: "Connecting to the message bus", remoteErrorName: failure.remoteName)
    }

    /// Returns the error for a bus that refused this process.
    ///
    /// - Parameter owner: The user whose bus it is; nil if this process may not even connect.
    static func refused(byBusOf owner: UInt32?) -> SecretServiceError {
        let own = geteuid()
        let message: String
        switch owner {
        case own?: message = "The message bus refused to authenticate this process of user \(own)."
        case let owner?: message = "The message bus belongs to user \(owner), and refused this process of user \(own)."
        case nil: message = "User \(own) may not connect to the message bus: its socket belongs to another user."
        }
        var error = SecretServiceError(
            code: .denied,
            message: message,
            remedy: owner == own
                ? "Run it outside of the container or user namespace, or have the bus allow it."
                : "Run it as the user of the session\(own == 0 ? ", without sudo" : ""), or name another bus in "
                    + "DBUS_SESSION_BUS_ADDRESS."
        )
        error.circumstance = .refusingBus
        return error
    }

    /// Returns the error for a session whose bus lives elsewhere.
    func naming(livingBus address: String) -> SecretServiceError {
        var error = SecretServiceError(
            code: code,
            message: "\(message) A bus of this user answers at \(address).",
            remedy: "Set DBUS_SESSION_BUS_ADDRESS to \(address), or log out and in.",
            remoteErrorName: remoteErrorName
        )
        error.circumstance = .livingBus
        return error
    }

    /// Returns the error for a bus whose address cannot be resolved.
    static func locating(_ failure: BusAddressError) -> SecretServiceError {
        switch failure {
        case .none(let message):
            SecretServiceError(code: .noSessionBus, message: message, remedy: explanation(of: .noSessionBus).remedy)
        case .malformed(let message): SecretServiceError(code: .invalidArgument, message: message)
        }
    }

    /// Returns true if there is no report that the request was refused.
    private static func leavesOutcomeUnknown(_ code: Code, _ failure: GLibFailure) -> Bool {
        code == .timedOut || code == .busClosed || (failure.remoteName == nil && code != .invalidArgument)
    }

    /// Returns the permission that a request may lack if it failed in this way.
    private static func permission(missingFor request: BusRequest, _ code: Code) -> Sandbox.Need? {
        guard code == .noDaemon || code == .denied else { return nil }
        return request.asksForName ? .turns : .secrets
    }

    private static func explanation(
        of code: Code,
        _ failure: GLibFailure,
        _ subject: BusRequest.Subject
    ) -> Explanation {
        switch failure.remoteName {
        case nil where subject == .bus && code == .timedOut:
            muteBus
        case noReply where failure.sender == BusRequest.busName:
            ("the keyring daemon ended before it answered.", "Try again; check its log if this happens often.")
        case unknownMethod where subject == .service:
            ("the program that owns the bus name knows no such method.", "Check that it is a keyring daemon.")
        default:
            explanation(of: code)
        }
    }

    private static let muteBus: Explanation = (
        "the message bus did not answer in time.", "Try again; if the problem persists, log out and in."
    )

    private static let noReply = "org.freedesktop.DBus.Error.NoReply"
    private static let unknownMethod = "org.freedesktop.DBus.Error.UnknownMethod"

    private static func cause(of failure: GLibFailure, of request: BusRequest) -> Code {
        guard let name = failure.remoteName else { return cause(local: failure.ioCode) }
        // A read that a daemon did not survive had no effect. The outcome of a change is unknown.
        if name == noReply, failure.sender == BusRequest.busName, !request.mutates { return .noDaemon }
        return cause(remote: name, of: request)
    }

    private static func cause(remote name: String, of request: BusRequest) -> Code {
        // Flatpak's filter reports that a name does not exist if the app may not own it.
        if request.asksForName, name == "org.freedesktop.DBus.Error.ServiceUnknown" { return .denied }
        return cause(remote: name, subject: request.subject)
    }

    private static func cause(remote name: String, subject: BusRequest.Subject) -> Code {
        switch name {
        case "org.freedesktop.Secret.Error.IsLocked":
            return .locked
        case "org.freedesktop.Secret.Error.NoSuchObject",
            "org.freedesktop.DBus.Error.UnknownObject":
            return causeOfAbsence(of: subject)
        case unknownMethod:
            // All methods that this module calls are in the specification. An unknown one means that its object does
            // not exist.
            return subject == .service ? .protocolViolation : causeOfAbsence(of: subject)
        case "org.freedesktop.DBus.Error.ServiceUnknown",
            "org.freedesktop.DBus.Error.NameHasNoOwner",
            "org.freedesktop.DBus.Error.TimedOut":
            // A bus reports TimedOut if the activated service never acquired its name. Nothing was delivered.
            return .noDaemon
        case noReply,
            "org.freedesktop.DBus.Error.Timeout":
            return .timedOut
        case "org.freedesktop.DBus.Error.AccessDenied",
            "org.freedesktop.DBus.Error.AuthFailed",
            "org.gnome.keyring.Error.Denied":
            return .denied
        case "org.freedesktop.DBus.Error.InvalidArgs":
            return .invalidArgument
        case "org.freedesktop.DBus.Error.NoServer":
            return .noSessionBus
        case "org.freedesktop.DBus.Error.Disconnected":
            return .busClosed
        default:
            let couldNotStart =
                name.hasPrefix("org.freedesktop.DBus.Error.Spawn.") || name.hasPrefix("org.freedesktop.systemd1.")
            return couldNotStart ? .noDaemon : .protocolViolation
        }
    }

    private static func causeOfAbsence(of subject: BusRequest.Subject) -> Code {
        switch subject {
        case .item: .noSuchItem
        case .collection: .noSuchCollection
        case .service: .noDaemon
        case .bus, .prompt: .protocolViolation
        }
    }

    private static func cause(local code: GIOErrorEnum?) -> Code {
        switch code {
        case G_IO_ERROR_TIMED_OUT, G_IO_ERROR_CANCELLED: .timedOut
        case G_IO_ERROR_CLOSED, G_IO_ERROR_BROKEN_PIPE, G_IO_ERROR_NOT_CONNECTED: .busClosed
        case G_IO_ERROR_PERMISSION_DENIED: .denied
        case G_IO_ERROR_INVALID_ARGUMENT: .invalidArgument
        default: .protocolViolation
        }
    }
}

// Errors that this module raises itself.
extension SecretServiceError {
    static func timedOut(doing what: String, outcomeIsUnknown: Bool = false) -> SecretServiceError {
        SecretServiceError(
            code: .timedOut,
            message: "The deadline passed while \(what).",
            remedy: "Try again, or allow more time.",
            outcomeIsUnknown: outcomeIsUnknown
        )
    }

    /// The deadline passed before the request was sent.
    static func neverSent(_ request: BusRequest, by deadline: Deadline) -> SecretServiceError {
        guard !deadline.isCancelled else { return .cancelled(request.member, request.path) }
        return SecretServiceError(
            code: .timedOut,
            message: "\(request.member) on \(request.path): the deadline had passed before it was sent.",
            remedy: "Try again, or allow more time."
        )
    }

    /// The deadline passed before the reply arrived.
    static func neverAnswered(_ request: BusRequest) -> SecretServiceError {
        if request.subject == .bus { return .muteBus(during: request.member) }
        return SecretServiceError(
            .timedOut,
            in: "\(request.member) on \(request.path)",
            outcomeIsUnknown: request.mutates
        )
    }

    /// The message bus did not reply before the deadline.
    static func muteBus(during what: String) -> SecretServiceError {
        var error = SecretServiceError(
            code: .timedOut,
            message: "\(what): \(muteBus.problem)",
            remedy: muteBus.remedy
        )
        error.circumstance = .muteBus
        return error
    }

    /// Another process owned a bus name until the deadline.
    static func waited(_ wait: LockWait, for name: String) -> SecretServiceError {
        var error = SecretServiceError(
            code: .timedOut,
            message: "\(wait.sentence(on: "its use of the bus name \(name)")).",
            remedy: wait.remedy
        )
        error.circumstance = .waited(wait)
        return error
    }

    /// The connection that owned a lock's name is closed. Another process may own the lock by now.
    static func lostLock(_ name: String) -> SecretServiceError {
        var error = SecretServiceError(
            code: .busClosed,
            message: "The message bus closed the connection that owned \(name), which another process may own by now; "
                + "nothing was sent.",
            remedy: "Try again."
        )
        error.circumstance = .lostLock
        return error
    }

    /// Returns the same error, marked as one of a prompt that was shown.
    func awaitingPerson() -> SecretServiceError {
        var error = self
        if code == .timedOut { error.circumstance = .unansweredPrompt }
        return error
    }

    /// The bus refuses a rule that selects signals.
    static func refusedRules(_ name: String) -> SecretServiceError {
        SecretServiceError(
            code: .denied,
            message: "The message bus refuses to report changes of the keyring (\(name)).",
            remedy: "Raise max_match_rules_per_connection in the configuration of the bus, or let the sandbox's filter "
                + "pass AddMatch.",
            remoteErrorName: name
        )
    }

    /// The caller runs in a watch's handler.
    static let calledFromHandler = SecretServiceError(
        code: .invalidArgument,
        message: "The Secret Service was called from within a watch's handler, which must not block.",
        remedy: "Call from another thread."
    )

    static func unexpectedAnswer(
        to request: BusRequest,
        _ what: String,
        insteadOf wanted: String? = nil
    ) -> SecretServiceError {
        SecretServiceError(
            code: .protocolViolation,
            message:
                "\(request.member) on \(request.path): the answer is of the type \(what), not \(wanted ?? request.answer). "
                + "The keyring daemon does not follow the Secret Service specification.",
            outcomeIsUnknown: request.mutates
        )
    }

    /// The reply to a request for all properties of an object lacks the requested one.
    static func lackingProperty(_ request: BusRequest, sender: String?) -> SecretServiceError {
        var error = SecretServiceError(
            code: .protocolViolation,
            message: "\(request.member) on \(request.path): the answer lacks the property \(request.property ?? ""). "
                + "The keyring daemon does not follow the Secret Service specification."
        )
        error.sender = sender
        return error
    }

    /// This program cancelled the request before it was carried out.
    static func cancelled(_ member: String, _ path: String) -> SecretServiceError {
        SecretServiceError(
            code: .dismissed,
            message: "\(member) on \(path): this program cancelled it before it was carried out."
        )
    }

    /// The end of a message, and its remedy.
    private typealias Explanation = (problem: String, remedy: String)

    /// Creates an error whose problem and remedy follow from its code.
    init(
        _ code: Code,
        in request: String,
        outcomeIsUnknown: Bool = false,
        remoteErrorName: String? = nil
    ) {
        let explanation = Self.explanation(of: code)
        self.init(
            code: code,
            message: "\(request): \(explanation.problem)",
            remedy: explanation.remedy,
            outcomeIsUnknown: outcomeIsUnknown,
            remoteErrorName: remoteErrorName
        )
    }

    private static func explanation(of code: Code) -> Explanation {
        switch code {
        case .noSessionBus:
            (
                "no message bus is available there.",
                "Run in a desktop session, or with its bus in DBUS_SESSION_BUS_ADDRESS; where there is no desktop, use "
                    + "encrypted files."
            )
        case .busClosed:
            ("the message bus closed the connection.", "Try again: the next call connects again.")
        case .noDaemon:
            ("no keyring daemon runs or could be started.", Desktop.current.keyringRemedy)
        case .noDefaultCollection:
            ("there is no default collection.", "Create a keyring in the keyring application.")
        case .noSuchCollection:
            ("there is no such collection.", "Look up the default collection again.")
        case .noSuchItem:
            ("there is no such item; it may have been deleted.", "Search again.")
        case .locked:
            ("it is locked.", "Unlock the keyring and try again.")
        case .dismissed:
            ("the prompt was dismissed.", "Try again and answer it.")
        case .timedOut:
            ("no answer came in time.", "Try again, or restart the keyring daemon if it hangs.")
        case .denied:
            ("access is denied.", "Allow this program to reach the Secret Service on the bus.")
        case .invalidArgument:
            ("the keyring daemon or the bus rejects an argument.", "Correct it.")
        default:
            (
                "the keyring daemon or the bus reported an error that the specification does not name.",
                "Check its log."
            )
        }
    }
}
