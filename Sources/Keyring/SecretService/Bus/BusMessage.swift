internal import CGLibSecret
internal import DesktopSupport

/// A successful reply to a request.
struct BusAnswer: Sendable {
    /// The arguments of the reply, of the type that the request expects.
    let body: Variant
    /// The unique name of the program that sent it.
    let sender: String?
}

/// A `GDBusMessage`.
@safe final class BusMessage: @unchecked Sendable {
    // Unchecked: one thread creates and sends a message, or has received it; GDBus locks messages that it sends.
    private let pointer: OpaquePointer

    /// Takes ownership of the reference.
    private init(taking pointer: OpaquePointer) {
        unsafe self.pointer = pointer
    }

    deinit {
        unsafe g_object_unref(UnsafeMutableRawPointer(pointer))
    }

    /// Creates the method call that a request describes.
    convenience init(_ request: BusRequest) {
        unsafe self.init(
            taking: g_dbus_message_new_method_call(
                request.destination,
                request.path,
                request.interface,
                request.member
            )
        )
        guard let arguments = request.arguments else { return }
        unsafe arguments.withUnsafePointer { arguments in unsafe g_dbus_message_set_body(pointer, arguments) }
    }

    func withUnsafePointer<Result>(_ body: (OpaquePointer) -> Result) -> Result {
        defer { withExtendedLifetime(self) {} }
        return unsafe body(pointer)
    }

    private var sender: String? {
        unsafe g_dbus_message_get_sender(pointer).map { sender in unsafe String(cString: sender) }
    }

    /// Returns the outcome of a request. Takes ownership of the reply or the error.
    static func result(
        of request: BusRequest,
        taking reply: OpaquePointer?,
        _ error: UnsafeMutablePointer<GError>?,
        in sandbox: Sandbox?
    ) -> Result<BusAnswer, SecretServiceError> {
        guard let reply = unsafe reply else {
            return .failure(.answering(request, unsafe GLibFailure(taking: error), in: sandbox))
        }
        return unsafe BusMessage(taking: reply).result(of: request, in: sandbox)
    }

    private func result(of request: BusRequest, in sandbox: Sandbox?) -> Result<BusAnswer, SecretServiceError> {
        var error: UnsafeMutablePointer<GError>?
        guard unsafe g_dbus_message_to_gerror(pointer, &error) == 0 else {
            let failure = unsafe GLibFailure(taking: error, sender: sender)
            return .failure(.answering(request, failure, in: sandbox))
        }
        let body = unsafe g_dbus_message_get_body(pointer).map { body in unsafe Variant(borrowing: body) }
        let type = body?.type ?? "()"
        guard type == request.answer else { return .failure(.unexpectedAnswer(to: request, type)) }
        guard let answer = request.answer(in: body ?? .tuple()) else {
            return .failure(.lackingProperty(request, sender: sender))
        }
        return .success(BusAnswer(body: answer, sender: sender))
    }
}
