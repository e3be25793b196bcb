internal import DesktopSupport
internal import Synchronization

// GNOME Keyring registers each new connection on its main thread, and sometimes receives the connection's first call
// before that. A call of the service object is then refused or served. But the daemon exits if that call is
// `OpenSession`, or `Get` on a collection or an item, and never replies to any other call on those. Once it has replied
// to one call of a connection, it knows the connection.

extension BusRequest {
    /// Indicates whether only a program that has replied to the connection before may receive the request.
    var needsAcquaintance: Bool {
        mustNotBeCut || (property == nil && (subject == .collection || subject == .item))
    }

    /// A request to the same service that changes nothing, and that is safe to send to a program that does not know the
    /// connection yet.
    var introduction: BusRequest {
        BusRequest(
            destination: destination,
            path: SecretService.path,
            interface: "org.freedesktop.Secret.Service",
            member: "ReadAlias",
            arguments: .tuple(.string("default")),
            answer: "(o)",
            subject: .service
        )
    }
}

extension ServiceConnection {
    /// The unique name of the program that sent the last good reply; nil before the first.
    var lastSender: String? { answering.withLock(\.sender) }

    /// Returns true if the program with this unique name sent the last good reply. For nil, returns true if there
    /// was a good reply from any program.
    func isAcquainted(with sender: String?) -> Bool {
        answering.withLock { answering in
            guard let sender else { return answering.sender != nil }
            return answering.sender == sender
        }
    }

    /// Sends a harmless request to the owner of the daemon's name first, if `request` needs that and no program has
    /// been chosen.
    ///
    /// - Returns: The unique name of the program to send the request to; nil for the owner of the daemon's name.
    func acquainted(
        with program: String?,
        for request: BusRequest,
        by deadline: Deadline
    ) -> Result<String?, SecretServiceError> {
        guard program == nil, request.needsAcquaintance else { return .success(program) }
        do throws(SecretServiceError) {
            return .success(try answer(to: request.introduction, by: deadline).sender)
        } catch {
            // A program that refuses the request knows the connection, too.
            return error.answeringProgram.map { program in .success(program) } ?? .failure(error)
        }
    }

    /// Forgets the program that replied last if a request to it failed because it is no longer the Secret Service.
    /// Returns true if it was forgotten.
    func forgetsProgram(of request: BusRequest, after failure: SecretServiceError) -> Bool {
        guard request.property != nil || request.needsAcquaintance else { return false }
        let hasLeft = request.mustNotBeCut && failure.isOfUnknownObject
        guard failure.isOfUnknownName || hasLeft else { return false }
        return answering.withLock { answering in
            defer { answering.sender = nil }
            return answering.sender != nil
        }
    }
}

extension SecretServiceError {
    /// Indicates whether the bus reports that no program owns the name that the request was sent to.
    var isOfUnknownName: Bool {
        remoteErrorName == "org.freedesktop.DBus.Error.ServiceUnknown"
            || remoteErrorName == "org.freedesktop.DBus.Error.NameHasNoOwner"
    }

    /// Indicates whether a program reports that it has no such object, or one of another type.
    fileprivate var isOfUnknownObject: Bool {
        ["UnknownObject", "UnknownInterface", "UnknownMethod"].contains { name in
            remoteErrorName == "org.freedesktop.DBus.Error.\(name)"
        }
    }
}
