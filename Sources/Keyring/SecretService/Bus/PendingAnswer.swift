internal import CGLibSecret
internal import DesktopSupport

/// The reply to a request that has been sent. The thread that sent the request waits for it.
///
/// When the last reference to this object is released, the request is cancelled and its reply dropped.
final class PendingAnswer: Sendable {
    let request: BusRequest
    private let box: AnswerBox
    private let gate: CallGate
    private let departure: Departure
    private let context: AnswerContext
    private let cancellable = Cancellable()

    private init(
        to request: BusRequest,
        as form: BusRequest,
        on connection: ServiceConnection,
        _ context: AnswerContext
    ) {
        self.request = request
        self.context = context
        gate = connection.gate
        departure = connection.gate.departure
        box = AnswerBox(to: form, in: connection.sandbox)
    }

    deinit {
        // With a result, GLib has released the request or is about to. Cancelling it then could make GLib report to a
        // context that no thread runs.
        guard box.result == nil else { return }
        // GLib releases the request once it has reported its end, so run the context until then.
        cancellable.cancel()
        context.serve { [box] in box.result != nil }
    }

    /// Sends a request, in another form if given, without waiting for the reply. The bus processes later messages of
    /// the connection after it.
    static func sending(
        _ request: BusRequest,
        as form: BusRequest? = nil,
        on connection: ServiceConnection,
        awaitedIn context: AnswerContext,
        within milliseconds: Int32
    ) -> PendingAnswer {
        let form = form ?? request
        let answer = PendingAnswer(to: request, as: form, on: connection, context)
        let message = BusMessage(form)
        context.collect {
            unsafe connection.withUnsafePointer { connection in
                unsafe message.withUnsafePointer { message in
                    unsafe answer.cancellable.withUnsafePointer { cancellable in
                        unsafe g_dbus_connection_send_message_with_reply(
                            connection,
                            message,
                            G_DBUS_SEND_MESSAGE_FLAGS_NONE,
                            milliseconds,
                            nil,
                            cancellable,
                            answerArrived,
                            retainedBox(answer.box)
                        )
                    }
                }
            }
        }
        return answer
    }

    /// The reply or the error; nil until one has arrived.
    var result: Result<BusAnswer, SecretServiceError>? { box.result }

    /// Waits for the reply or the error. Returns nil at the deadline.
    func wait(by deadline: Deadline) -> Result<BusAnswer, SecretServiceError>? {
        _ = context.serve(until: deadline) { [box] in box.result != nil }
        let result = box.result
        gate.noteAnswer(to: request, result, since: departure)
        return result
    }

    /// Waits for the reply or the error, without a deadline.
    func wait() {
        context.serve { [box] in box.result != nil }
    }
}

/// The outcome of a request; nil until it is known.
final class AnswerBox: Sendable {
    private let request: BusRequest
    private let sandbox: Sandbox?
    private let settled = Monitor<Result<BusAnswer, SecretServiceError>?>(nil)

    init(to request: BusRequest, in sandbox: Sandbox?) {
        self.request = request
        self.sandbox = sandbox
    }

    var result: Result<BusAnswer, SecretServiceError>? { settled.update { $0 } }

    /// Stores the outcome. Takes ownership of the reply or the error.
    func settle(_ reply: OpaquePointer?, _ error: UnsafeMutablePointer<GError>?) {
        let result = unsafe BusMessage.result(of: request, taking: reply, error, in: sandbox)
        settled.update { $0 = result }
    }
}

/// A `GAsyncReadyCallback` for an `AnswerBox`. GLib calls it exactly once.
func answerArrived(_ connection: UnsafeMutablePointer<GObject>?, _ result: OpaquePointer?, _ data: gpointer?) {
    guard let data = unsafe data else { return }
    var error: UnsafeMutablePointer<GError>?
    let reply = unsafe g_dbus_connection_send_message_with_reply_finish(OpaquePointer(connection), result, &error)
    unsafe Unmanaged<AnswerBox>.fromOpaque(data).takeRetainedValue().settle(reply, error)
}
