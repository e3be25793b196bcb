/// The clients whose sign-ins a server accepts from an app. A ``PassBackend`` reports them, and all code that compares
/// clients uses this value.
///
/// In REST v2, a sign-in belongs to the client that made it. Apps that sign in as a group share their sign-ins; any
/// other app uses only its own and ignores those of other clients.
@frozen
public enum ProfileClients: Sendable, Hashable {
    /// All clients: for a back end without clients, or apps that sign in as a group.
    case any
    /// Only these clients, by their ``RegisteredClient/digest``: the app's own registrations at each of its servers.
    case only(Set<String>)

    /// Returns whether a sign-in by this client counts. A sign-in by an unknown client always counts.
    public func contains(_ client: String?) -> Bool {
        guard case .only(let digests) = self, let client else { return true }
        return digests.contains(client)
    }
}
