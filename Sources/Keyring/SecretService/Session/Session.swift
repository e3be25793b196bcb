internal import DesktopSupport

/// A session with one run of a daemon. Sessions are compared by identity, since a restarted daemon reuses paths.
final class Session: Sendable {
    let path: String
    /// The unique name of the daemon that opened it.
    let daemon: String?

    init(path: String, daemon: String?) {
        self.path = path
        self.daemon = daemon
    }

    /// Returns true if a request in this session may have failed only because the session's daemon was restarted.
    func mayBeLost(after failure: SecretServiceError, isNew: Bool) -> Bool {
        guard !failure.outcomeIsUnknown else { return false }
        switch failure.remoteErrorName {
        case "org.freedesktop.Secret.Error.NoSession", "org.freedesktop.DBus.Error.UnknownObject":
            // The daemon may have been restarted even between the opening of the session and the request.
            let isOfAnother = failure.sender != nil && daemon != nil && failure.sender != daemon
            return isOfAnother || !isNew
        default:
            // The daemon that opened it has ended. Opening the next session shows whether there is another.
            return failure.isOfUnknownName
        }
    }
}

extension Secret {
    /// The D-Bus type of a secret: session, parameters, value, content type.
    static let wireType = "(oayays)"

    /// Returns the content type to send the secret with. Throws if the secret cannot be sent.
    func sendableType(_ contentType: String?) throws(SecretServiceError) -> String {
        try Wire.checkSize(count, of: "The secret")
        return try Wire.text(contentType ?? self.contentType, as: "the content type")
    }

    /// Returns the secret in its wire format for a plain session.
    func wire(in session: Session, contentType: String) -> Variant {
        let nothing = unsafe Variant.bytes(UnsafeRawBufferPointer(start: nil, count: 0))
        let bytes = unsafe withUnsafeBytes { buffer in unsafe Variant.bytes(buffer) }
        return .tuple(.objectPath(session.path), nothing, bytes, .string(contentType))
    }

    /// Decodes a secret from a plain session. Returns nil if it is encrypted, as for another kind of session.
    init?(wire: Variant) {
        guard wire[1].count == 0 else { return nil }
        let contentType = wire[3].string
        unsafe self.init(
            wire[2].withUnsafeBytes { buffer in unsafe SecretBytes(copying: buffer, contentType: contentType) }
        )
    }
}
