internal import CLibsecret
internal import DesktopSupport

/// One method call, as data.
struct BusRequest: Sendable {
    /// What the called object is, and thus what its absence means.
    enum Subject: Sendable {
        case bus, service, collection, item, prompt
    }

    var destination: String
    var path: String
    var interface: String
    var member: String
    var arguments: Variant?
    /// The D-Bus signature that the answer must have.
    var answer: String
    var subject: Subject
    /// Whether carrying it out changes something, so that a lost answer leaves the outcome unknown.
    var mutates = false
    /// Whether the connection has to stay until the answer is there; see ``UninterruptedReply``.
    var mustNotBeCut = false
    /// Whether its arguments name a session, which one run of one program has opened.
    var isInSession = false
    /// The name of the property of a collection or item that it reads, if it reads one.
    var property: String?
}

extension BusRequest {
    /// The name of the message bus itself.
    static let busName = "org.freedesktop.DBus"

    /// Whether it requests a name to own from the bus.
    var asksForName: Bool { subject == .bus && member == "RequestName" }

    /// A call to the message bus itself.
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
    /// The form in which it is sent; `program` is the program that has answered this connection, nil if none has.
    ///
    /// GNOME Keyring sometimes takes a call before it knows the caller, and ends if that call is `Get` of a collection
    /// or an item. So `Get`, and any other request that needs acquaintance, goes to the program that has answered
    /// before, and to no other that may have taken its name since. Before the first answer `Get` is `GetAll`, whose
    /// answer then lacks the property.
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

    /// The type of the answer to `GetAll`.
    private static let allProperties = "(a{sv})"

    /// The answer to `Get` that an answer to the form holds; nil if it lacks the property.
    func answer(in body: Variant) -> Variant? {
        guard let property, body.type == Self.allProperties else { return body }
        return body[0].children.first { $0[0].string == property }.map { .tuple($0[1]) }
    }
}

extension BusRequest {
    /// How many bytes a request's arguments may have: well below the limit of a message bus, which drops the connection that
    /// sends more.
    static let maximumSize = 16 << 20

    /// The error for a request that is too large to be sent; nil if it is not.
    var excess: SecretServiceError? {
        guard let size = arguments?.size, size > Self.maximumSize else { return nil }
        return .tooLarge("\(member) on \(path)", size)
    }
}

extension SecretServiceError {
    /// What was to be sent is larger than the limit.
    static func tooLarge(_ what: String, _ size: Int) -> SecretServiceError {
        SecretServiceError(
            code: .invalidArgument,
            message: "\(what): \(size) bytes are more than can be sent; the limit is \(BusRequest.maximumSize). "
                + "Store less, or split it."
        )
    }
}

extension Variant {
    /// The number of bytes of its serialized form.
    var size: Int {
        unsafe withUnsafePointer { value in unsafe Int(g_variant_get_size(value)) }
    }
}

extension BusRequest {
    /// How often a request is repeated before its failure is final.
    static let mostRepeats = 3

    /// Whether a request that failed for the `attempt`-th time is to be sent once more, at once.
    ///
    /// `isAcquainted` says whether the program that reported the failure has given this connection a good answer before.
    /// - GNOME Keyring sometimes answers the first call of a new connection as if it knew no such method; nothing was done.
    ///   From the service object, which always exists, that is the only meaning. A collection or item may not exist: that is
    ///   final from a program that has answered before, and from any other if it says so twice.
    /// - When a daemon dies, the bus reports it for each call that has no answer. The next call makes the bus start another.
    ///   A request that changes something may have been carried out, so it is not repeated: the caller reads again.
    /// - A property that the answer to `GetAll` lacks is read by `Get`, since the program knows the connection by then.
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
    /// Whether the bus reports that the program ended that was to answer.
    var isOfDeadDaemon: Bool {
        remoteErrorName == "org.freedesktop.DBus.Error.NoReply" && sender == BusRequest.busName
    }

    /// The unique name of the program that reports it; nil if no program does.
    var answeringProgram: String? { sender == BusRequest.busName ? nil : sender }
}
