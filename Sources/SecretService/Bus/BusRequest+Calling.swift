internal import CLibsecret

extension BusRequest {
    /// Lends the arguments to a GLib function.
    func withArguments<Result>(_ body: (OpaquePointer?) -> Result) -> Result {
        guard let arguments else { return body(nil) }
        return unsafe arguments.withUnsafePointer { arguments in unsafe body(arguments) }
    }

    /// What came of the request; takes over the answer or the error.
    func result(
        taking answer: OpaquePointer?,
        _ error: UnsafeMutablePointer<GError>?,
        in sandbox: Sandbox?
    ) -> Result<Variant, SecretServiceError> {
        guard let answer = unsafe answer else {
            return .failure(.answering(self, unsafe GLibFailure(taking: error), in: sandbox))
        }
        let variant = unsafe Variant(taking: answer)
        guard variant.type == self.answer else { return .failure(.unexpectedAnswer(to: self, variant.type)) }
        return .success(variant)
    }
}
