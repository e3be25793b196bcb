internal import Dispatch
internal import PassAuth
internal import SharedAuth
internal import SharedAuthRecords
internal import Synchronization

/// An access token, and how long it is good, by a clock that nobody sets.
struct AccessToken: Sendable, Hashable {
    let value: String
    /// When to get another one.
    let renewal: Duration
    /// When it expires.
    let end: Duration
    /// Tells it from the one before, which may have the same value.
    let number: Int
}

/// Has the app's client and access token at one server, and renews either: one renewal for all calls that need it.
actor ClientAccess {
    /// A client, and an access token for its calls.
    struct Grant: Sendable {
        let client: RegisteredClient
        let token: AccessToken
    }

    /// A server's refusal.
    enum Refusal: Sendable {
        case nothing
        case token(AccessToken)
        case client(RegisteredClient)
    }

    private let registrar: ClientRegistrar
    private let clients: AsyncStoredClients
    private let elapsed: @Sendable () -> Duration
    /// The app's registration, as far as it is known: for those who must not wait.
    private let latestClient = Mutex<RegisteredClient?>(nil)
    private var grant: Grant?
    private var renewal: Task<Result<Grant, PassBackendError>, Never>?
    private var lastNumber = 0
    /// The client that was registered in the place of one that was refused: refused too, it is not replaced.
    private var replacement: RegisteredClient?

    init(registrar: ClientRegistrar, clients: AsyncStoredClients, elapsed: @escaping @Sendable () -> Duration) {
        self.registrar = registrar
        self.clients = clients
        self.elapsed = elapsed
    }

    /// The client that the last access token was for; it stays when there is no other to be had.
    nonisolated var client: RegisteredClient? { latestClient.withLock { $0 } }

    /// Begins again: a client that is refused may be replaced again.
    func begin() { replacement = nil }

    /// Returns a grant to send a call with, other than the one that was refused.
    ///
    /// A caller that gives up does not end the renewal: others may wait for it.
    func current(for applicant: Applicant, after refusal: Refusal = .nothing) async throws(PassBackendError) -> Grant {
        if let grant, isGood(grant, after: refusal) { return grant }
        while let renewal {
            let grant = try await renewal.value.get()
            if isGood(grant, after: refusal) { return grant }
        }
        let task = Task { await renewed(applicant, after: refusal) }
        renewal = task
        return try await task.value.get()
    }

    private func isGood(_ grant: Grant, after refusal: Refusal) -> Bool {
        switch refusal {
        case .nothing: elapsed() < grant.token.renewal
        case .token(let token): grant.token != token
        case .client(let client): grant.client != client
        }
    }

    private func renewed(_ applicant: Applicant, after refusal: Refusal) async -> Result<Grant, PassBackendError> {
        let result: Result<Grant, PassBackendError>
        do throws(PassBackendError) {
            result = .success(try await renew(applicant, after: refusal))
        } catch {
            // One that is to be renewed is still good for a while, if it was not refused.
            if case .nothing = refusal, let grant, elapsed() < grant.token.end {
                result = .success(grant)
            } else {
                result = .failure(error)
            }
        }
        grant = try? result.get()
        if let grant { latestClient.withLock { $0 = grant.client } }
        renewal = nil
        return result
    }

    private func renew(_ applicant: Applicant, after refusal: Refusal) async throws(PassBackendError) -> Grant {
        let known = try await clients.client(at: registrar.server)
        var (client, isNew): (RegisteredClient, Bool)
        if case .client(let refused) = refusal, known == nil || known == refused {
            (client, isNew) = (try await register(applicant, insteadOf: refused), true)
        } else if let known {
            (client, isNew) = (known, false)
        } else {
            (client, isNew) = (try await register(applicant, insteadOf: nil), true)
        }
        var answer = try await registrar.accessToken(of: client)
        if case .clientRefused = answer, !isNew {
            client = try await register(applicant, insteadOf: client)
            answer = try await registrar.accessToken(of: client)
        }
        switch answer {
        case .clientRefused:
            throw PassBackendError(
                .noAccessToken,
                "The server gives no access token to the client that it has just registered."
            )
        case .token(let value, let lifetime):
            lastNumber += 1
            let token = AccessToken(
                value: value,
                // A minute before it ends, or a quarter of a short life.
                renewal: elapsed() + lifetime - min(.seconds(60), lifetime / 4),
                end: elapsed() + lifetime,
                number: lastNumber
            )
            return Grant(client: client, token: token)
        }
    }

    private func register(
        _ applicant: Applicant,
        insteadOf refused: RegisteredClient?
    ) async throws(PassBackendError) -> RegisteredClient {
        if let refused, refused == replacement {
            throw PassBackendError(.notRegistered, "The server refuses the app as a client, registered again too.")
        }
        // Processes of an app that start together register one client.
        let turn = try await clients.registrationTurn(at: registrar.server)
        defer { turn?.release() }
        if let other = try await clients.client(at: registrar.server), other != refused {
            if refused != nil { replacement = other }
            return other
        }
        let new = try await registrar.register(applicant)
        let client = try await clients.replace(refused, with: new, at: registrar.server)
        if refused != nil { replacement = client }
        return client
    }
}

/// Reads and writes the stored clients on a queue, for callers that must not block.
struct AsyncStoredClients: Sendable {
    private let clients: StoredClients
    private let queue = DispatchQueue(label: "PassREST.Clients")

    init(_ clients: StoredClients) { self.clients = clients }

    func client(at server: PassServer) async throws(PassBackendError) -> RegisteredClient? {
        try await perform { clients throws(PassStoreError) in try clients.client(at: server.registration) }
    }

    func replace(
        _ refused: RegisteredClient?,
        with new: RegisteredClient,
        at server: PassServer
    ) async throws(PassBackendError) -> RegisteredClient {
        try await perform { clients throws(PassStoreError) in
            try clients.replace(refused, with: new, at: server.registration)
        }
    }

    /// The time for which another process of the app may register; after that this one registers, too.
    private static let turnTime = Duration.seconds(10)

    /// Waits for the turn to register; nil if it did not come in time.
    func registrationTurn(at server: PassServer) async throws(PassBackendError) -> (any RecordLock)? {
        // The wait may be long: no other call is to stand behind it.
        try await perform(on: DispatchQueue(label: "PassREST.Registration")) { clients throws(PassStoreError) in
            try clients.registrationTurn(at: server.registration, within: Self.turnTime)
        }
    }

    private func perform<Value: Sendable>(
        on queue: DispatchQueue? = nil,
        _ work: @escaping @Sendable (StoredClients) throws(PassStoreError) -> Value
    ) async throws(PassBackendError) -> Value {
        do throws(PassStoreError) {
            return try await (queue ?? self.queue).perform { [clients] () throws(PassStoreError) in try work(clients) }
        } catch {
            throw PassBackendError(
                .noAccessToken,
                "The app's registration with Pass cannot be read or stored. \(error.message)"
            )
        }
    }
}
