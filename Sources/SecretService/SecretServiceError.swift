/// Why a call to the Secret Service failed.
///
/// Match the cause with `catch SecretServiceError.Code.locked`, or switch over ``code`` with a default branch.
public struct SecretServiceError: Error, Sendable {
    /// The cause.
    public let code: Code
    /// What failed, on which object, and what to do about it; holds no secret and no attribute's value.
    public let message: String
    /// Whether the request may have been carried out although no answer came; reading again settles it.
    public let outcomeIsUnknown: Bool
    /// The D-Bus name of the error that came over the bus, if one did.
    public let remoteErrorName: String?
    /// The unique name of the program that sent the error, or the bus's own; nil if it did not come over the bus.
    var sender: String?

    package init(
        code: Code,
        message: String,
        outcomeIsUnknown: Bool = false,
        remoteErrorName: String? = nil
    ) {
        self.code = code
        self.message = message
        self.outcomeIsUnknown = outcomeIsUnknown
        self.remoteErrorName = remoteErrorName
    }
}

extension SecretServiceError: CustomStringConvertible {
    /// The code and the message.
    public var description: String {
        let warning = outcomeIsUnknown ? " It is unknown whether the request was carried out." : ""
        return "\(code): \(message)\(warning)"
    }
}
