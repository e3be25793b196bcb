internal import DesktopSupport
internal import Synchronization

// GNOME Keyring notes each new connection on its main thread, and sometimes takes the connection's first call before it
// has done so. A call of the service object is then refused or answered. But it ends if that call is `OpenSession` or
// `Get` of a collection or an item, and never answers any other call of those. Once it has answered one call of a
// connection, it knows the connection.

extension BusRequest {
    /// Whether only a program may take it that has answered the connection before.
    var needsAcquaintance: Bool {
        mustNotBeCut || (property == nil && (subject == .collection || subject == .item))
    }

    /// A request to the same service that changes nothing, and that a program may take from a connection it does not
    /// know.
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
    /// The unique name of the program that gave the last good answer; nil if there was none.
    var lastSender: String? { answering.withLock(\.sender) }

    /// Whether a program has given a good answer before: the one with this unique name, or if that is nil, any.
    func isAcquainted(with sender: String?) -> Bool {
        answering.withLock { answering in
            guard let sender else { return answering.sender != nil }
            return answering.sender == sender
        }
    }

    /// Has the owner of the daemon's name answer a harmless request, if a request needs that and goes to no certain
    /// program.
    ///
    /// - Returns: the unique name of the program to send the request to; nil for the owner of the daemon's name.
    func acquainted(
        with program: String?,
        for request: BusRequest,
        by deadline: Deadline
    ) -> Result<String?, SecretServiceError> {
        guard program == nil, request.needsAcquaintance else { return .success(program) }
        do throws(SecretServiceError) {
            return .success(try answer(to: request.introduction, by: deadline).sender)
        } catch {
            // A program that refuses knows the connection, too.
            return error.answeringProgram.map { program in .success(program) } ?? .failure(error)
        }
    }

    /// Whether a request went to the program that answered last, and that is the Secret Service no more; then the
    /// program is forgotten.
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
    /// Whether the bus reports that it knows no program of the name that the request went to.
    var isOfUnknownName: Bool {
        remoteErrorName == "org.freedesktop.DBus.Error.ServiceUnknown"
            || remoteErrorName == "org.freedesktop.DBus.Error.NameHasNoOwner"
    }

    /// Whether a program reports that it has no such object, or one of another kind.
    fileprivate var isOfUnknownObject: Bool {
        ["UnknownObject", "UnknownInterface", "UnknownMethod"].contains { name in
            remoteErrorName == "org.freedesktop.DBus.Error.\(name)"
        }
    }
}
