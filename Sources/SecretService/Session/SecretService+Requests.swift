internal import CLibsecret
internal import DesktopSupport
internal import Synchronization

// The way of a request, from top to bottom. A method of the API makes the request and calls it: as it is, or in the session
// where it carries a secret. If no daemon runs, the call may wait for one. The service's connection takes the request
// through the gate and sends it, again where that is due, until the deadline. What comes back has the type that the request
// expects, or is a `SecretServiceError`.

// MARK: - The request

extension SecretService {
    /// The object of the daemon that represents the whole service.
    static let path = "/org/freedesktop/secrets"

    /// A call to an object of the daemon.
    ///
    /// It goes to the well-known name, so that the bus starts a daemon if none runs, and a restarted one is found.
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

    /// A call to the service object.
    func serviceRequest(
        _ member: String,
        _ arguments: Variant?,
        answer: String,
        mutates: Bool = false
    ) throws(SecretServiceError) -> BusRequest {
        try request(member, arguments, of: .service, at: SecretService.path, answer: answer, mutates: mutates)
    }

    /// A request for a property.
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
    /// Sends a request and waits for its answer.
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

    /// Sends the request that `make` builds for the session, and opens a session if there is none.
    ///
    /// If the session may have been lost with a daemon that was restarted, a new one is opened and the request repeated,
    /// twice at most. `make` must not have side effects.
    func callInSession(
        by deadline: Deadline,
        _ make: (Session) throws(SecretServiceError) -> BusRequest
    ) throws(SecretServiceError) -> Variant {
        try awaitingDaemon(by: deadline) { () throws(SecretServiceError) in
            try callInPresentSession(by: deadline, make)
        }
    }

    /// Does `work`, which sends something.
    ///
    /// If no daemon answers, this throws `.noDaemon`, or if the configuration says so, waits until one appears and does
    /// `work` once more.
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

    /// Waits until some program owns the daemon's name; false at the deadline or if the bus closes the connection.
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
        // It may have appeared before the subscription did.
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

    /// Sends a request, and opens the session at the same time if there is none and a program has answered before. A
    /// session that cannot be opened now is requested again when it is needed.
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
    /// The connection; a new one if there is none or the bus closed it.
    ///
    /// Whatever waits for the bus begins here, and is refused on the thread that it would wait for.
    func connection(by deadline: Deadline) throws(SecretServiceError) -> ServiceConnection {
        guard !GLibThread.isCurrent else { throw .calledFromHandler }
        if let connection = try guardingConnection { return connection }
        return try link.value(by: deadline, ifGood: { connection in !connection.isClosed }) {
            () throws(SecretServiceError) -> ServiceConnection in
            try ServiceConnection.open(
                address(),
                gate: gate,
                sandbox: configuration.sandbox,
                by: deadline
            )
        }
    }

    /// The D-Bus address of the configured bus, looked up now.
    private func address() throws(SecretServiceError) -> String {
        do throws(BusAddressError) {
            return try configuration.busAddress.resolved()
        } catch {
            throw .locating(error)
        }
    }

    /// The connection there is, if the bus has not closed it; none is made.
    var presentConnection: ServiceConnection? {
        link.present.flatMap { connection in connection.isClosed ? nil : connection }
    }
}

// MARK: - Over the bus and back

extension ServiceConnection {
    /// Sends a request and waits for its answer.
    func call(_ request: BusRequest, by deadline: Deadline) throws(SecretServiceError) -> Variant {
        try answer(to: request, by: deadline).body
    }

    /// Sends a request, once more where that is due, and waits for its answer.
    ///
    /// With `first`, the request has been sent once, and that is its outcome.
    func answer(
        to request: BusRequest,
        by deadline: Deadline,
        after first: Result<BusAnswer, SecretServiceError>? = nil
    ) throws(SecretServiceError) -> BusAnswer {
        var result = first ?? send(request, to: lastSender, by: deadline)
        var attempt = 1
        while case .failure(let error) = result, !deadline.isPast,
            // In a session that was lost with the program, there is nothing to repeat.
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
        if let error = request.excess { return .failure(error) }
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

    /// Sends a request, and returns when it is on its way: the bus takes whatever this connection sends afterwards later.
    ///
    /// The answer is to be awaited by ``wait(for:by:)``, on the calling thread.
    func begin(
        _ request: BusRequest,
        awaitedIn context: AnswerContext = AnswerContext(),
        by deadline: Deadline
    ) throws(SecretServiceError) -> PendingAnswer {
        let form = request.form(for: lastSender)
        return try gate.pass(form) { () -> Result<PendingAnswer, SecretServiceError> in
            guard !deadline.isPast else { return .failure(.neverSent(form, by: deadline)) }
            if let error = form.excess { return .failure(error) }
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

    /// Waits for the answer to a request that was begun; sends the request once more where that is due.
    func wait(for answer: PendingAnswer, by deadline: Deadline) throws(SecretServiceError) -> Variant {
        guard let result = answer.wait(by: deadline) else { throw .neverAnswered(answer.request) }
        return try self.answer(to: answer.request, by: deadline, after: result).body
    }

    /// Sends a request whose answer is not needed.
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
    /// The value of the D-Bus type `type` in an answer to this request for a property.
    func property(_ type: String, in answer: Variant) throws(SecretServiceError) -> Variant {
        let value = answer[0][0]
        guard value.type == type else { throw .unexpectedAnswer(to: self, value.type, insteadOf: type) }
        return value
    }
}

extension SecretService {
    /// The secret in an answer; one that is not for our session makes us forget the session.
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
