internal import FoundationEssentials

/// A registered instance of an app.
struct Client: Sendable, Identifiable {
    let id: String
    let secret: String
    let statement: String
    let redirectURL: String?
    let issued: Date
}

/// The registered apps and their access tokens.
struct Registrations: Sendable {
    private struct Access {
        let client: Client.ID
        let expires: Date
    }

    private var clients: [Client.ID: Client] = [:]
    private var accesses: [String: Access] = [:]

    /// Registers an instance of an app.
    mutating func register(_ statement: String, redirectURL: String?, now: Date) -> Client {
        let client = Client(
            id: UUID().uuidString.lowercased(),
            secret: UUID().uuidString.lowercased(),
            statement: statement,
            redirectURL: redirectURL,
            issued: now
        )
        clients[client.id] = client
        return client
    }

    /// Returns the instance with these credentials.
    func client(_ id: String, secret: String) -> Client? {
        guard let client = clients[id], client.secret == secret else { return nil }
        return client
    }

    /// Issues a new access token.
    mutating func issue(to client: Client, expires: Date) -> String {
        let token = UUID().uuidString.lowercased()
        accesses[token] = Access(client: client.id, expires: expires)
        return token
    }

    /// Returns the client of an access token, or nil if the token is unknown or expired.
    func client(ofToken token: String, now: Date) -> Client.ID? {
        guard let access = accesses[token], now < access.expires else { return nil }
        return access.client
    }

    /// Returns the instance with an id, unless it was forgotten.
    func client(_ id: Client.ID) -> Client? { clients[id] }

    /// Forgets every access token.
    mutating func forgetTokens() { accesses = [:] }

    /// Forgets every instance. Their access tokens stay, without a client.
    mutating func forgetClients() { clients = [:] }
}
