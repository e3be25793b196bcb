internal import Dispatch
internal import PassAuth
internal import SharedAuth
internal import SharedAuthRecords
internal import Synchronization

/// An access token and its lifetime, by a monotonic clock.
struct AccessToken: Sendable, Hashable {
    let value: String
    /// The time from which a new token is requested.
    let renewal: Duration
    /// The time at which the token expires.
    let end: Duration
    /// A serial number; consecutive tokens may have the same value.
    let number: Int
}

/// The app's client and access token at one server. Renews both, once for all calls that wait for the renewal.
actor ClientAccess {
    /// A client and its access token.
    struct Grant: Sendable {
        let client: RegisteredClient
        let token: AccessToken
    }

    /// The part of a call that the server has refused.
    enum Refusal: Sendable {
        case nothing
        case token(AccessToken)
        case client(RegisteredClient)
    }

    private let registrar: ClientRegistrar
    private let clients: AsyncStoredClients
    private let elapsed: @Sendable () -> Duration
    /// The client of the latest grant, readable without waiting for the actor.
    private let latestClient = Mutex<RegisteredClient?>(nil)
    private var grant: Grant?
    private var renewal: Task<Result<Grant, PassBackendError>, Never>?
    private var lastNumber = 0
    /// The client that replaced a refused one. If it is refused too, it is not replaced.
    private var replacement: RegisteredClient?

    init(registrar: ClientRegistrar, clients: AsyncStoredClients, elapsed: @escaping @Sendable () -> Duration) {
        self.registrar = registrar
        self.clients = clients
        self.elapsed = elapsed
    }

    /// The client of the last access token. Stays set if a later renewal fails.
    nonisolated var client: RegisteredClient? { latestClient.withLock { $0 } }

    /// Allows one more replacement of a refused client.
    func begin() { replacement = nil }

    /// Returns a grant for a call; never the token or client that was refused.
    ///
    /// Cancelling a caller does not cancel the renewal, because other callers may wait for it.
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
            // A token that was due for renewal can still be used until it expires, unless it was refused.
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
                "The server issues no access token to the client that it has just registered."
            )
        case .token(let value, let lifetime):
            lastNumber += 1
            let token = AccessToken(
                value: value,
                // One minute before the token expires, or a quarter of its lifetime if that is shorter.
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
            throw PassBackendError(
                .notRegistered,
                "The server refuses the app as a client, even after a new registration."
            )
        }
        // Processes of an app that start at the same time share one registration.
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

/// Reads and writes the stored clients on a dispatch queue, for callers that must not block.
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

    /// The longest wait for another process of the app that registers. After that, this process registers too.
    private static let turnTime = Duration.seconds(10)

    /// Waits for the lock for registration. Returns nil if the wait took too long.
    func registrationTurn(at server: PassServer) async throws(PassBackendError) -> (any RecordLock)? {
        // The wait may be long, so it uses a separate queue and does not delay other calls.
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
