/// By the sign-ins of which clients a server answers an app: what a ``PassBackend`` knows of itself, and all who compare
/// clients go by.
///
/// Of REST v2, a sign-in is of the client that made it. Apps that sign in as a group share it; any other app has its own
/// alone, and that of another client is nothing to it.
public enum ProfileClients: Sendable, Hashable {
    /// Of any: a back end that has no clients, or apps that sign in as a group.
    case any
    /// Of these alone, by their ``RegisteredClient/digest``: what the app is registered as, at each of its servers.
    case only(Set<String>)

    /// Whether a sign-in of a client is one that counts; one whose client is not known always does.
    public func contains(_ client: String?) -> Bool {
        guard case .only(let digests) = self, let client else { return true }
        return digests.contains(client)
    }
}
