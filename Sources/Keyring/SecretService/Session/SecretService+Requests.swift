internal import CGLibSecret
internal import DesktopSupport
internal import Synchronization

// The path of a request through this file. A method of the API creates the request and calls it, in a session if it
// transfers a secret. If no daemon is running, the call may wait for one. The service's connection passes the request
// through the gate and sends it, more than once if needed, until the deadline. The outcome is a reply of the expected
// type, or a `SecretServiceError`.

// MARK: - The request

extension SecretService {
    /// The path of the daemon's service object.
    static let path = "/org/freedesktop/secrets"

    /// Creates a call to an object of the daemon.
    ///
    /// The call is addressed to the well-known name, so that the bus starts a daemon if none is running, and a
    /// restarted one is found.
    func request(
        _ member: String,
        _ arguments: Variant?,
        of subject: BusRequest.Subject,
        at path: String,
        answer: String,
        mutates: Bool = false
    ) throws(SecretServiceError) -> BusRequest {
        let interface =
            switch subject {
            case .bus, .service: "org.freedesktop.Secret.Service"
            case .collection: "org.freedesktop.Secret.Collection"
            case .item: "org.freedesktop.Secret.Item"
            case .prompt: "org.freedesktop.Secret.Prompt"
            }
        if let arguments { try Wire.checkSize(arguments.size, of: "\(member) on \(path)") }
        return BusRequest(
            destination: try Wire.busName(configuration.busName),
            path: try Wire.objectPath(path),
            interface: interface,
            member: member,
            arguments: arguments,
            answer: answer,
            subject: subject,
            mutates: mutates
        )
    }

    /// Creates a call to the service object.
    func serviceRequest(
        _ member: String,
        _ arguments: Variant?,
        answer: String,
        mutates: Bool = false
    ) throws(SecretServiceError) -> BusRequest {
        try request(member, arguments, of: .service, at: SecretService.path, answer: answer, mutates: mutates)
    }

    /// Creates a request for a property.
    func propertyRequest(
        _ name: String,
        of subject: BusRequest.Subject,
        at path: String
    ) throws(SecretServiceError) -> BusRequest {
        var request = try request("Get", nil, of: subject, at: path, answer: "(v)")
        request.arguments = .tuple(.string(request.interface), .string(name))
        request.interface = "org.freedesktop.DBus.Properties"
        if subject == .collection || subject == .item { request.property = name }
        return request
    }

    private func openingRequest() throws(SecretServiceError) -> BusRequest {
        var request = try serviceRequest("OpenSession", .tuple(.string("plain"), .boxed(.string(""))), answer: "(vo)")
        request.mustNotBeCut = true
        return request
    }
}

// MARK: - Calls, which wait for a daemon if configured so

extension SecretService {
    /// Sends a request and waits for its reply.
    func call(_ request: BusRequest, by deadline: Deadline) throws(SecretServiceError) -> Variant {
        try awaitingDaemon(by: deadline) { () throws(SecretServiceError) in
            try connection(by: deadline).call(request, by: deadline)
        }
    }

    /// Reads a property of the D-Bus type `type`.
    func property(
        _ name: String,
        _ type: String,
        of subject: BusRequest.Subject,
        at path: String,
        by deadline: Deadline
    ) throws(SecretServiceError) -> Variant {
        let request = try propertyRequest(name, of: subject, at: path)
        return try request.property(type, in: call(request, by: deadline))
    }

    /// Sends the request that `make` builds for the session. Opens a session first if needed.
    ///
    /// If the session may have been lost because the daemon was restarted, opens a new one and repeats the request, at
    /// most twice. `make` must not have side effects.
    func callInSession(
        by deadline: Deadline,
        _ make: (Session) throws(SecretServiceError) -> BusRequest
    ) throws(SecretServiceError) -> Variant {
        try awaitingDaemon(by: deadline) { () throws(SecretServiceError) in
            try callInPresentSession(by: deadline, make)
        }
    }

    /// Calls `work`, which sends a request.
    ///
    /// If no daemon is available, throws `.noDaemon`. If the configuration says so, waits until a daemon appears and
    /// calls `work` once more.
    func awaitingDaemon<Done>(
        by deadline: Deadline,
        _ work: () throws(SecretServiceError) -> Done
    ) throws(SecretServiceError) -> Done {
        do throws(SecretServiceError) {
            return try work()
        } catch {
            guard error.code == .noDaemon, !error.outcomeIsUnknown, configuration.waitsForDaemon else {
                throw error
            }
            guard try daemonAppears(by: deadline) else { throw error }
            return try work()
        }
    }

    /// Waits until a program owns the daemon's name. Returns false at the deadline, or if the bus closes the
    /// connection.
    private func daemonAppears(by deadline: Deadline) throws(SecretServiceError) -> Bool {
        let connection = try connection(by: deadline)
        let name = try Wire.busName(configuration.busName)
        let hasAppeared = Monitor<Bool?>(nil)
        let subscription = try connection.subscribe(to: [.owner(of: name)], by: deadline) { event in
            switch event {
            case .closed:
                hasAppeared.update { $0 = $0 ?? false }
            case .signal(let signal):
                guard signal.arguments.type == "(sss)", !signal.arguments[2].string.isEmpty else { return }
                hasAppeared.update { $0 = true }
            }
        }
        defer { subscription.end() }
        // The daemon may have appeared before the subscription was active.
        if try owner(of: name, on: connection, by: deadline) != nil { return true }
        return hasAppeared.wait(until: deadline) { $0 } ?? false
    }
}

// MARK: - The session

extension SecretService {
    private func callInPresentSession(
        by deadline: Deadline,
        _ make: (Session) throws(SecretServiceError) -> BusRequest
    ) throws(SecretServiceError) -> Variant {
        let connection = try connection(by: deadline)
        var repeats = 0
        while true {
            let (session, isNew) = try session(on: connection, by: deadline)
            do throws(SecretServiceError) {
                var request = try make(session)
                request.isInSession = true
                return try connection.call(request, by: deadline)
            } catch {
                guard repeats < 2, session.mayBeLost(after: error, isNew: isNew) else { throw error }
                repeats += 1
                connection.session.discard { present in present === session }
            }
        }
    }

    private func session(
        on connection: ServiceConnection,
        by deadline: Deadline
    ) throws(SecretServiceError) -> (session: Session, isNew: Bool) {
        var isNew = false
        let session = try connection.session.value(by: deadline) { () throws(SecretServiceError) -> Session in
            isNew = true
            let answer = try connection.answer(to: openingRequest(), by: deadline)
            return Session(path: answer.body[1].string, daemon: answer.sender)
        }
        return (session, isNew)
    }

    /// Sends a request, and opens a session at the same time if needed and a program has replied before. If opening
    /// fails, the session is requested again when it is needed.
    func callOpeningSession(
        _ request: BusRequest,
        on connection: ServiceConnection,
        by deadline: Deadline
    ) throws(SecretServiceError) -> Variant {
        guard connection.isAcquainted(with: nil) else { return try connection.call(request, by: deadline) }
        var answer: Result<Variant, SecretServiceError>?
        _ = try? connection.session.value(by: deadline) { () throws(SecretServiceError) -> Session in
            let opened = try connection.answerUncut(to: openingRequest(), by: deadline) {
                answer = Result { () throws(SecretServiceError) in try connection.call(request, by: deadline) }
            }
            return Session(path: opened.body[1].string, daemon: opened.sender)
        }
        if let answer { return try answer.get() }
        return try connection.call(request, by: deadline)
    }
}

// MARK: - The connection

extension SecretService {
    /// Returns the connection. Opens a new one if none is open or the bus closed it.
    ///
    /// Every call that waits for the bus starts here.
    /// - Throws: `.invalidArgument` on the GLib thread, which runs the handlers of watches and must not wait; an error
    ///   of the connection.
    func connection(by deadline: Deadline) throws(SecretServiceError) -> ServiceConnection {
        guard !GLibThread.isCurrent else { throw .calledFromHandler }
        if let connection = try guardingConnection { return connection }
        return try link.value(by: deadline, ifGood: { connection in !connection.isClosed }) {
            () throws(SecretServiceError) -> ServiceConnection in
            do throws(SecretServiceError) {
                return try ServiceConnection.open(
                    address(),
                    gate: gate,
                    sandbox: configuration.sandbox,
                    by: deadline
                )
            } catch {
                guard error.code == .noSessionBus, let living = configuration.busAddress.livingInstead else {
                    throw error
                }
                throw error.naming(livingBus: living)
            }
        }
    }

    /// Returns the D-Bus address of the configured bus, resolved now.
    private func address() throws(SecretServiceError) -> String {
        do throws(BusAddressError) {
            return try configuration.busAddress.resolved()
        } catch {
            throw .locating(error)
        }
    }

    /// The open connection, if any. Does not open one.
    var presentConnection: ServiceConnection? {
        link.present.flatMap { connection in connection.isClosed ? nil : connection }
    }
}

// MARK: - Over the bus and back

extension ServiceConnection {
    /// Sends a request and waits for its reply.
    func call(_ request: BusRequest, by deadline: Deadline) throws(SecretServiceError) -> Variant {
        try answer(to: request, by: deadline).body
    }

    /// Sends a request, repeats it if needed, and waits for its reply.
    ///
    /// - Parameter first: The outcome of the first attempt, if the request has been sent already.
    func answer(
        to request: BusRequest,
        by deadline: Deadline,
        after first: Result<BusAnswer, SecretServiceError>? = nil
    ) throws(SecretServiceError) -> BusAnswer {
        var result = first ?? send(request, to: lastSender, by: deadline)
        var attempt = 1
        while case .failure(let error) = result, !deadline.isPast,
            // A request of a session that ended with its program cannot be repeated.
            (forgetsProgram(of: request, after: error) && !request.isInSession && attempt <= BusRequest.mostRepeats)
                || request.isRepeated(after: error, attempt: attempt, isAcquainted: isAcquainted(with: error.sender))
        {
            attempt += 1
            result = send(request, to: error.answeringProgram ?? lastSender, by: deadline)
        }
        let answer = try result.get()
        if request.subject != .bus { answering.withLock { $0.sender = answer.sender } }
        return answer
    }

    private func send(
        _ request: BusRequest,
        to program: String?,
        by deadline: Deadline
    ) -> Result<BusAnswer, SecretServiceError> {
        acquainted(with: program, for: request, by: deadline).flatMap { program in
            let form = request.form(for: program)
            return gate.pass(form) { perform(form, by: deadline) }
        }
    }

    private func perform(_ request: BusRequest, by deadline: Deadline) -> Result<BusAnswer, SecretServiceError> {
        guard !deadline.isPast else { return .failure(.neverSent(request, by: deadline)) }
        guard !request.mustNotBeCut else { return performUncut(request, by: deadline) }
        var error: UnsafeMutablePointer<GError>?
        let message = BusMessage(request)
        let departure = gate.departure
        let reply = unsafe withUnsafePointer { connection in
            unsafe message.withUnsafePointer { message in
                unsafe g_dbus_connection_send_message_with_reply_sync(
                    connection,
                    message,
                    G_DBUS_SEND_MESSAGE_FLAGS_NONE,
                    max(1, deadline.remaining.wholeMilliseconds),
                    nil,
                    nil,
                    &error
                )
            }
        }
        let result = unsafe BusMessage.result(of: request, taking: reply, error, in: sandbox)
        gate.noteAnswer(to: request, result, since: departure)
        return result
    }

    /// Sends a request without waiting for its reply. The bus processes later messages of this connection after it.
    ///
    /// Wait for the reply with ``wait(for:by:)``, on the calling thread.
    func begin(
        _ request: BusRequest,
        awaitedIn context: AnswerContext = AnswerContext(),
        by deadline: Deadline
    ) throws(SecretServiceError) -> PendingAnswer {
        let form = request.form(for: lastSender)
        return try gate.pass(form) { () -> Result<PendingAnswer, SecretServiceError> in
            guard !deadline.isPast else { return .failure(.neverSent(form, by: deadline)) }
            return .success(
                .sending(
                    request,
                    as: form,
                    on: self,
                    awaitedIn: context,
                    within: max(1, deadline.remaining.wholeMilliseconds)
                )
            )
        }.get()
    }

    /// Waits for the reply to a request that `begin` sent. Repeats the request if needed.
    func wait(for answer: PendingAnswer, by deadline: Deadline) throws(SecretServiceError) -> Variant {
        guard let result = answer.wait(by: deadline) else { throw .neverAnswered(answer.request) }
        return try self.answer(to: answer.request, by: deadline, after: result).body
    }

    /// Sends a request that needs no reply.
    func post(_ request: BusRequest) {
        _ = gate.pass(request) { () -> Result<Void, SecretServiceError> in
            let message = BusMessage(request)
            unsafe withUnsafePointer { connection in
                unsafe message.withUnsafePointer { message in
                    let flags =
                        G_DBUS_MESSAGE_FLAGS_NO_REPLY_EXPECTED.rawValue | G_DBUS_MESSAGE_FLAGS_NO_AUTO_START.rawValue
                    unsafe g_dbus_message_set_flags(message, GDBusMessageFlags(rawValue: flags))
                    unsafe g_dbus_connection_send_message(connection, message, G_DBUS_SEND_MESSAGE_FLAGS_NONE, nil, nil)
                }
            }
            return .success(())
        }
    }
}

extension BusRequest {
    /// Returns the value of the D-Bus type `type` from a reply to this property request.
    func property(_ type: String, in answer: Variant) throws(SecretServiceError) -> Variant {
        let value = answer[0][0]
        guard value.type == type else { throw .unexpectedAnswer(to: self, value.type, insteadOf: type) }
        return value
    }
}

extension SecretService {
    /// Returns the secret in a reply. If it is encrypted, as for another kind of session, discards the session and
    /// throws `.protocolViolation`.
    func secret(from wire: Variant, of path: String, by deadline: Deadline) throws(SecretServiceError) -> Secret {
        if let secret = Secret(wire: wire) { return secret }
        try connection(by: deadline).session.discard { _ in true }
        throw SecretServiceError(
            code: .protocolViolation,
            message: "The secret of \(path) is encrypted although the session is plain.",
            remedy: "Try again."
        )
    }
}
