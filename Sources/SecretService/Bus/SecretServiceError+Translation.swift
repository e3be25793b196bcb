internal import CLibsecret
internal import GLibSupport

// The one place that knows the names under which buses and providers report what went wrong.
extension SecretServiceError {
    /// The error for a request that was made in a sandbox or outside any, and ended with `failure`.
    static func answering(
        _ request: BusRequest,
        _ failure: GLibFailure,
        in sandbox: Sandbox?
    ) -> SecretServiceError {
        let code = cause(of: failure, of: request)
        let hint = permission(missingFor: request, code).flatMap { sandbox?.missing($0) }
        var error = SecretServiceError(
            code: code,
            message: "\(request.member) on \(request.path): "
                + "\(explanation(of: code, failure, request.subject))\(hint.map { " \($0)" } ?? "")",
            outcomeIsUnknown: request.mutates && leavesOutcomeUnknown(code, failure),
            remoteErrorName: failure.remoteName
        )
        error.sender = failure.sender
        return error
    }

    /// The error for a connection that could not be made.
    static func connecting(_ failure: GLibFailure) -> SecretServiceError {
        let code: Code
        switch failure.ioCode {
        case G_IO_ERROR_CANCELLED, G_IO_ERROR_TIMED_OUT: code = .timedOut
        case G_IO_ERROR_PERMISSION_DENIED: code = .denied
        default: code = failure.remoteName.map { name in cause(remote: name, subject: .bus) } ?? .noSessionBus
        }
        return SecretServiceError(
            code: code,
            message: "Connecting to the message bus: \(explanation(of: code))",
            remoteErrorName: failure.remoteName
        )
    }

    /// Whether nobody has said that the request was turned down.
    private static func leavesOutcomeUnknown(_ code: Code, _ failure: GLibFailure) -> Bool {
        code == .timedOut || code == .busClosed || (failure.remoteName == nil && code != .invalidArgument)
    }

    /// What the sandbox may keep from a request that failed in this way.
    private static func permission(missingFor request: BusRequest, _ code: Code) -> Sandbox.Need? {
        guard code == .noProvider || code == .denied else { return nil }
        return request.asksForName ? .turns : .secrets
    }

    private static func explanation(
        of code: Code,
        _ failure: GLibFailure,
        _ subject: BusRequest.Subject
    ) -> String {
        switch failure.remoteName {
        case noReply where failure.sender == BusRequest.busName:
            "the provider of the Secret Service ended before it answered. Try again; look at its log if it does so often."
        case unknownMethod where subject == .service:
            "the program that owns the bus name knows no such method. Check that it is a provider of the Secret Service."
        default:
            explanation(of: code)
        }
    }

    private static let noReply = "org.freedesktop.DBus.Error.NoReply"
    private static let unknownMethod = "org.freedesktop.DBus.Error.UnknownMethod"

    private static func cause(of failure: GLibFailure, of request: BusRequest) -> Code {
        guard let name = failure.remoteName else { return cause(local: failure.ioCode) }
        // Nothing came of a question to a daemon that died. What came of a change nobody knows.
        if name == noReply, failure.sender == BusRequest.busName, !request.mutates { return .noProvider }
        return cause(remote: name, of: request)
    }

    private static func cause(remote name: String, of request: BusRequest) -> Code {
        // A name that Flatpak's filter keeps from its app does not exist for it, even where the app wants to own it.
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
            // The methods we call are in the specification; one that is not known means that its object is not there.
            return subject == .service ? .protocolViolation : causeOfAbsence(of: subject)
        case "org.freedesktop.DBus.Error.ServiceUnknown",
            "org.freedesktop.DBus.Error.NameHasNoOwner",
            "org.freedesktop.DBus.Error.TimedOut":
            // TimedOut is how a bus reports that the activated service never took its name: nothing was delivered.
            return .noProvider
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
            return couldNotStart ? .noProvider : .protocolViolation
        }
    }

    private static func causeOfAbsence(of subject: BusRequest.Subject) -> Code {
        switch subject {
        case .item: .noSuchItem
        case .collection: .noSuchCollection
        case .service: .noProvider
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

// The vocabulary of the places that throw.
extension SecretServiceError {
    static func timedOut(doing what: String, outcomeIsUnknown: Bool = false) -> SecretServiceError {
        SecretServiceError(
            code: .timedOut,
            message: "The deadline passed while \(what). Try again, or allow more time.",
            outcomeIsUnknown: outcomeIsUnknown
        )
    }

    /// The deadline was over before the request was sent.
    static func neverSent(_ request: BusRequest, by deadline: Deadline) -> SecretServiceError {
        guard !deadline.isCancelled else { return .calledOff(request.member, request.path) }
        return SecretServiceError(
            code: .timedOut,
            message: "\(request.member) on \(request.path): the deadline had passed before it was sent. "
                + "Try again, or allow more time."
        )
    }

    /// The deadline passed while the request was on its way.
    static func neverAnswered(_ request: BusRequest) -> SecretServiceError {
        SecretServiceError(
            code: .timedOut,
            message: "\(request.member) on \(request.path): \(explanation(of: .timedOut))",
            outcomeIsUnknown: request.mutates
        )
    }

    /// The caller runs in a watch's handler.
    static let calledFromHandler = SecretServiceError(
        code: .invalidArgument,
        message: "The Secret Service was called from within a watch's handler, which must not block. "
            + "Call from another thread."
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
                + "The provider does not keep to the Secret Service specification.",
            outcomeIsUnknown: request.mutates
        )
    }

    /// The program itself called the request off before it was carried out.
    static func calledOff(_ member: String, _ path: String) -> SecretServiceError {
        SecretServiceError(
            code: .dismissed,
            message: "\(member) on \(path): this program called it off before it was carried out."
        )
    }

    /// What a code means and what to do about it, as the end of a message.
    static func explanation(of code: Code) -> String {
        switch code {
        case .noSessionBus: "no message bus answers there. Run inside a desktop session, or under dbus-run-session."
        case .busClosed: "the message bus closed the connection. Try again: the next call connects anew."
        case .noProvider:
            "no provider of the Secret Service runs or could be started. Install or start one, such as GNOME Keyring."
        case .noDefaultCollection: "there is no default collection. Create a keyring in the keyring application."
        case .noSuchCollection: "there is no such collection. Ask for the default collection anew."
        case .noSuchItem: "there is no such item; it may have been deleted. Search again."
        case .locked: "it is locked. Unlock the keyring and try again."
        case .dismissed: "the prompt was dismissed. Try again and answer it."
        case .timedOut: "no answer came in time. Try again, or restart the provider if it hangs."
        case .denied: "access is denied. Allow this program to reach the Secret Service on the bus."
        case .invalidArgument: "an argument is not acceptable to the other side. Correct it."
        default: "the other side reported an error that the specification does not foresee. Look at its log."
        }
    }
}
