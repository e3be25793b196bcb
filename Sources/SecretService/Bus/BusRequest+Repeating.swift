extension BusRequest {
    /// How often a request is sent once more before its failure is believed.
    private static let mostRepeats = 3

    /// Whether a request that failed for the `attempt`-th time is to be sent once more, at once.
    ///
    /// `isAcquainted` says whether the program that reported the failure has given this connection a good answer before.
    /// - GNOME Keyring now and then answers the first call of a new connection as if it knew no such method; nothing was
    ///   done. The service object is always there, so there it means that. A collection or item may be gone: that is
    ///   believed of a program that has answered before, and of any other when it says so twice.
    /// - A daemon that dies owes its answers, and the bus says so in its place. The next call has the bus start another.
    ///   A request that changes something may have been carried out, so it is for the caller to look.
    func isRepeated(after failure: SecretServiceError, attempt: Int, isAcquainted: Bool) -> Bool {
        if failure.isOfDeadProvider { return !mutates && attempt <= Self.mostRepeats }
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
    var isOfDeadProvider: Bool {
        remoteErrorName == "org.freedesktop.DBus.Error.NoReply" && sender == BusRequest.busName
    }
}
