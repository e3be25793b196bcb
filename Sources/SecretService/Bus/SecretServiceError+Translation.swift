internal import CLibsecret

// The one place that knows the names under which buses and providers report what went wrong.
extension SecretServiceError {
    /// The error for a request that was made in a sandbox or outside any, and ended with `failure`.
    static func answering(
        _ request: BusRequest,
        _ failure: GLibFailure,
        in sandbox: Sandbox?
    ) -> SecretServiceError {
        let code =
            failure.remoteName.map { name in cause(remote: name, of: request) } ?? cause(local: failure.ioCode)
        let hint = permission(missingFor: request, code).flatMap { sandbox?.missing($0) }
        return SecretServiceError(
            code: code,
            message: "\(request.member) on \(request.path): \(explanation(of: code))\(hint.map { " \($0)" } ?? "")",
            outcomeIsUnknown: request.mutates && leavesOutcomeUnknown(code, failure),
            remoteErrorName: failure.remoteName
        )
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

    /// Whether the request may have failed only because our session is of a provider that has been restarted.
    var mayMeanLostSession: Bool {
        guard !outcomeIsUnknown else { return false }
        switch remoteErrorName {
        case "org.freedesktop.Secret.Error.NoSession",
            "org.freedesktop.DBus.Error.UnknownObject",
            "org.freedesktop.DBus.Error.ServiceUnknown":
            return true
        default:
            return false
        }
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
            "org.freedesktop.DBus.Error.UnknownObject",
            "org.freedesktop.DBus.Error.UnknownMethod":
            // The methods we call are in the specification; one that is not known means that its object is not there.
            return causeOfAbsence(of: subject)
        case "org.freedesktop.DBus.Error.ServiceUnknown",
            "org.freedesktop.DBus.Error.NameHasNoOwner",
            "org.freedesktop.DBus.Error.TimedOut":
            // TimedOut is how a bus reports that the activated service never took its name: nothing was delivered.
            return .noProvider
        case "org.freedesktop.DBus.Error.NoReply",
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
