/// A session with one run of a provider, told from others by identity: a restarted provider gives out the same paths again.
final class Session: Sendable {
    let path: String
    /// The unique name of the program that opened it.
    let provider: String?

    init(path: String, provider: String?) {
        self.path = path
        self.provider = provider
    }

    /// Whether a request in this session may have failed only because it is of a provider that has been restarted.
    func mayBeLost(after failure: SecretServiceError, isNew: Bool) -> Bool {
        guard !failure.outcomeIsUnknown else { return false }
        switch failure.remoteErrorName {
        case "org.freedesktop.Secret.Error.NoSession", "org.freedesktop.DBus.Error.UnknownObject":
            // Another program may have come even between the opening and the request.
            let isOfAnother = failure.sender != nil && provider != nil && failure.sender != provider
            return isOfAnother || !isNew
        case "org.freedesktop.DBus.Error.ServiceUnknown":
            return !isNew
        default:
            return false
        }
    }
}
