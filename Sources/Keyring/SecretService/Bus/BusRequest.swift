internal import DesktopSupport

/// A method call.
struct BusRequest: Sendable {
    /// The kind of the called object. It determines the error if the object does not exist.
    enum Subject: Sendable {
        case bus, service, collection, item, prompt
    }

    var destination: String
    var path: String
    var interface: String
    var member: String
    var arguments: Variant?
    /// The D-Bus signature that the reply must have.
    var answer: String
    var subject: Subject
    /// Indicates whether the request changes something, so that without a reply the outcome is unknown.
    var mutates = false
    /// Indicates whether the connection must stay open until the reply arrives. See ``UninterruptedReply``.
    var mustNotBeCut = false
    /// Indicates whether the arguments name a session, which is valid for one run of one program.
    var isInSession = false
    /// The name of the collection's or item's property that the request reads; nil if it reads none.
    var property: String?
}

extension BusRequest {
    /// The name of the message bus itself.
    static let busName = "org.freedesktop.DBus"

    /// Indicates whether it requests ownership of a bus name.
    var asksForName: Bool { subject == .bus && member == "RequestName" }

    /// Creates a call to the message bus itself.
    static func bus(_ member: String, _ arguments: Variant?, answer: String) -> BusRequest {
        BusRequest(
            destination: busName,
            path: "/org/freedesktop/DBus",
            interface: "org.freedesktop.DBus",
            member: member,
            arguments: arguments,
            answer: answer,
            subject: .bus
        )
    }
}

extension BusRequest {
    /// Returns the form in which the request is sent.
    ///
    /// GNOME Keyring sometimes receives a call before it knows the caller, and exits if that call is `Get` on a
    /// collection or an item. So `Get`, and any other request that needs acquaintance, is sent to the program that has
    /// replied before, and not to another that may own its name by now. Before the first reply, `GetAll` is sent in
    /// place of `Get`; a daemon that does not know the caller then omits the property.
    ///
    /// - Parameter program: The program that has replied to this connection; nil before the first reply.
    func form(for program: String?) -> BusRequest {
        var form = self
        if let program {
            if property != nil || needsAcquaintance { form.destination = program }
        } else if property != nil {
            form.member = "GetAll"
            form.arguments = .tuple(.string(interfaceOfProperty))
            form.answer = Self.allProperties
        }
        return form
    }

    private var interfaceOfProperty: String { arguments?[0].string ?? "" }

    /// The type of the reply to `GetAll`.
    private static let allProperties = "(a{sv})"

    /// Returns the reply to the original request from the reply to its form; nil if it lacks the property.
    func answer(in body: Variant) -> Variant? {
        guard let property, body.type == Self.allProperties else { return body }
        return body[0].children.first { $0[0].string == property }.map { .tuple($0[1]) }
    }
}

extension BusRequest {
    /// The maximum number of repetitions of a request.
    static let mostRepeats = 3

    /// Returns true if a request that failed for the `attempt`-th time is to be repeated immediately.
    ///
    /// - GNOME Keyring sometimes replies to the first call of a new connection as if it did not know the method.
    ///   Nothing was done. From the service object, which always exists, the reply has no other meaning. A collection
    ///   or item may not exist: the reply is final from a program that has replied successfully before, and from any
    ///   other after the second time.
    /// - When a daemon dies, the bus reports it for each call without a reply. The next call makes the bus start
    ///   another daemon. A request that changes something may have been carried out, so it is not repeated: the caller
    ///   reads again.
    /// - If the reply to `GetAll` lacks the property, it is read with `Get`, since the program knows the connection by
    ///   then.
    /// - Parameter isAcquainted: True if the program that reported the failure has sent this connection a good reply
    ///   before.
    func isRepeated(after failure: SecretServiceError, attempt: Int, isAcquainted: Bool) -> Bool {
        if failure.isOfDeadDaemon { return !mutates && attempt <= Self.mostRepeats }
        if property != nil, failure.code == .protocolViolation, !isAcquainted { return attempt <= Self.mostRepeats }
        guard failure.remoteErrorName == "org.freedesktop.DBus.Error.UnknownMethod" else { return false }
        switch subject {
        case .service: return attempt <= Self.mostRepeats
        case .collection, .item: return attempt == 1 && !isAcquainted
        case .bus, .prompt: return false
        }
    }
}

extension SecretServiceError {
    /// Indicates whether the bus reports that the called program ended before it replied.
    var isOfDeadDaemon: Bool {
        remoteErrorName == "org.freedesktop.DBus.Error.NoReply" && sender == BusRequest.busName
    }

    /// The unique name of the program that reported the error; nil if the bus reported it, or no program did.
    var answeringProgram: String? { sender == BusRequest.busName ? nil : sender }
}
