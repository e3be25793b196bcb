internal import CLibsecret
internal import GLibSupport
internal import Synchronization

/// A connection of our own to a message bus.
@safe final class BusConnection: @unchecked Sendable {
    // A GDBusConnection is made to be shared by threads; the other members are constant or protect themselves.
    private let pointer: OpaquePointer
    let gate: CallGate
    let sandbox: Sandbox?
    /// The bus's own id, which no other bus has.
    let busID: String

    /// The plain session with the provider, opened when first needed.
    let session = Recreatable<Session>()
    /// The session that is being opened for a caller who waits no longer.
    let lateSession = Mutex<UncutAnswer?>(nil)
    /// Who of this process is next for a bus name.
    let nameQueue = NameQueue()
    /// Which program has answered.
    let answering = Mutex(AnsweringProgram())

    /// Takes over the reference to a connection that is open.
    init(taking pointer: OpaquePointer, busID: String, gate: CallGate, sandbox: Sandbox?) {
        unsafe self.pointer = pointer
        self.busID = busID
        self.gate = gate
        self.sandbox = sandbox
    }

    deinit {
        unsafe closeConnection(pointer)
    }

    var isClosed: Bool {
        unsafe g_dbus_connection_is_closed(pointer) != 0
    }

    /// Our own name on the bus.
    var uniqueName: String {
        unsafe String(cString: g_dbus_connection_get_unique_name(pointer))
    }

    /// Sends a request and waits for its answer.
    func call(_ request: BusRequest, by deadline: Deadline) throws(SecretServiceError) -> Variant {
        try answer(to: request, by: deadline).body
    }

    /// Sends a request, once more where that is due, and waits for its answer.
    ///
    /// With `first`, the request has been sent once, and ended so.
    func answer(
        to request: BusRequest,
        by deadline: Deadline,
        after first: Result<BusAnswer, SecretServiceError>? = nil
    ) throws(SecretServiceError) -> BusAnswer {
        var result = first ?? gate.pass(request) { perform(request, by: deadline) }
        var attempt = 1
        while case .failure(let error) = result, !deadline.isPast,
            request.isRepeated(after: error, attempt: attempt, isAcquainted: isAcquainted(with: error.sender))
        {
            attempt += 1
            result = gate.pass(request) { perform(request, by: deadline) }
        }
        let answer = try result.get()
        if request.subject != .bus { answering.withLock { $0.sender = answer.sender } }
        return answer
    }

    private func isAcquainted(with sender: String?) -> Bool {
        answering.withLock { answering in
            guard let sender else { return answering.sender != nil }
            return answering.sender == sender
        }
    }

    private func perform(_ request: BusRequest, by deadline: Deadline) -> Result<BusAnswer, SecretServiceError> {
        guard !deadline.isPast else { return .failure(.neverSent(request, by: deadline)) }
        guard !request.mustNotBeCut else { return performUncut(request, by: deadline) }
        if let error = request.excess { return .failure(error) }
        var error: UnsafeMutablePointer<GError>?
        let message = BusMessage(request)
        let waitsBefore = gate.endedWaits
        defer { gate.noteWait(for: request.member, sentAfter: waitsBefore) }
        let reply = unsafe message.withUnsafePointer { message in
            unsafe g_dbus_connection_send_message_with_reply_sync(
                pointer,
                message,
                G_DBUS_SEND_MESSAGE_FLAGS_NONE,
                max(1, deadline.remaining.wholeMilliseconds),
                nil,
                nil,
                &error
            )
        }
        return unsafe BusMessage.result(of: request, taking: reply, error, in: sandbox)
    }

    /// Sends a request, and returns when it is on its way: whatever this connection sends afterwards, the bus takes later.
    ///
    /// The answer is to be awaited by ``wait(for:by:)``, on the calling thread.
    func begin(
        _ request: BusRequest,
        awaitedIn context: AnswerContext = AnswerContext(),
        by deadline: Deadline
    ) throws(SecretServiceError) -> PendingAnswer {
        try gate.pass(request) { () -> Result<PendingAnswer, SecretServiceError> in
            guard !deadline.isPast else { return .failure(.neverSent(request, by: deadline)) }
            if let error = request.excess { return .failure(error) }
            return .success(
                .sending(
                    request,
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

    /// Sends a request whose answer nobody needs.
    func post(_ request: BusRequest) {
        _ = gate.pass(request) { () -> Result<Void, SecretServiceError> in
            let message = BusMessage(request)
            unsafe message.withUnsafePointer { message in
                let flags =
                    G_DBUS_MESSAGE_FLAGS_NO_REPLY_EXPECTED.rawValue | G_DBUS_MESSAGE_FLAGS_NO_AUTO_START.rawValue
                unsafe g_dbus_message_set_flags(message, GDBusMessageFlags(rawValue: flags))
                unsafe g_dbus_connection_send_message(pointer, message, G_DBUS_SEND_MESSAGE_FLAGS_NONE, nil, nil)
            }
            return .success(())
        }
    }

    /// Lends the connection to a GLib function.
    func withUnsafePointer<Result>(_ body: (OpaquePointer) -> Result) -> Result {
        defer { withExtendedLifetime(self) {} }
        return unsafe body(pointer)
    }
}
