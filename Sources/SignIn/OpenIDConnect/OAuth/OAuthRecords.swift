internal import Crypto
internal import Dispatch
internal import SharedAuth

/// What the apps of a project share about a server: the server, as the app that signed in there knows it, the client
/// that they have registered, and the server's metadata.
struct OAuthRecord: Sendable, Hashable, Codable {
    var place: OAuthServer.Place
    var user: OAuthUser.Stored
    var resources: [String]
    var providerID: String
    var client: RegisteredClient?
    var metadata: FoundMetadata?

    init(_ client: OAuthClient) {
        (place, user) = (client.server.place, client.server.user.stored)
        (resources, providerID) = (client.resources, client.providerID)
    }

    /// Returns the client as the app that stored the record knows it.
    func client(_ identification: OAuthClient.Identification) -> OAuthClient {
        var client = OAuthClient(OAuthServer(place, user: OAuthUser(user)), identification, [])
        (client.resources, client.providerID) = (resources, providerID)
        return client
    }
}

/// The record of one issuer in a project. Stores block, so each call runs on its own thread.
struct OAuthRecords: Sendable {
    let store: any RecordStore
    let timeout: Duration
    private let codec: OAuthRecordCodec

    init(of issuer: String, in store: any RecordStore, project: String, timeout: Duration) {
        (self.store, self.timeout) = (store, timeout)
        codec = OAuthRecordCodec(issuer: issuer, project: project)
    }

    /// Returns the record; nil if there is none.
    ///
    /// - Parameter policy: The treatment of a damaged record. A sign-in replaces it.
    func read(ifDamaged policy: DamagePolicy = .fail) async throws(AuthError) -> OAuthRecord? {
        try await call { (deadline) throws(AuthError) in
            try record.read(by: deadline, ifDamaged: policy).content
        }
    }

    /// Stores a new client in place of the one that was refused, or of none.
    ///
    /// - Returns: The client to use: another one, if a process that shares no lock with this one was faster.
    func replace(
        _ refused: RegisteredClient?,
        with new: RegisteredClient,
        of client: OAuthClient
    ) async throws(AuthError) -> RegisteredClient {
        try await call { (deadline) throws(AuthError) in
            try record.update(by: deadline, ifDamaged: .setAside) { (found) throws(AuthError) in
                if let stored = found.content?.client, stored != refused { return (stored, .keep) }
                var content = OAuthRecord(client)
                (content.client, content.metadata) = (new, found.content?.metadata)
                return (new, .store(content))
            }
        }
    }

    /// Removes a client that the server no longer accepts.
    func forget(_ refused: RegisteredClient) async throws(AuthError) {
        try await call { (deadline) throws(AuthError) in
            try record.update(by: deadline) { (found) throws(AuthError) in
                guard var content = found.content, content.client == refused else { return ((), .keep) }
                content.client = nil
                return ((), .store(content))
            }
        }
    }

    /// Stores how the app that signs in knows the server, for programs that find its sessions without knowing the app.
    ///
    /// - Parameter metadata: The server's metadata; nil to keep the stored one.
    func remember(_ client: OAuthClient, _ metadata: FoundMetadata?) async throws(AuthError) {
        try await call { (deadline) throws(AuthError) in
            try record.update(by: deadline, ifDamaged: .setAside) { (found) throws(AuthError) in
                var content = OAuthRecord(client)
                (content.client, content.metadata) = (found.content?.client, metadata ?? found.content?.metadata)
                return ((), found.content == content ? .keep : .store(content))
            }
        }
    }

    /// Stores metadata that was fetched again. Without a record nothing is stored, as no app of the project has signed
    /// in.
    func renew(_ metadata: FoundMetadata) async throws(AuthError) {
        try await call { (deadline) throws(AuthError) in
            try record.update(by: deadline) { (found) throws(AuthError) in
                guard var content = found.content, content.metadata != metadata else { return ((), .keep) }
                content.metadata = metadata
                return ((), .store(content))
            }
        }
    }

    /// Waits for the turn to register, which one process of the project has at a time. Returns nil if another process
    /// keeps it longer than a registration takes.
    func registrationTurn(within time: Duration) async throws(AuthError) -> (any RecordLock)? {
        // The wait may be long.
        try await DispatchQueue(label: "OpenIDConnect.OAuthRegistration").perform {
            [store, codec] () throws(AuthError) -> (any RecordLock)? in
            do throws(RecordStoreError) {
                return try store.acquire("register", for: codec.key, by: .after(time))
            } catch {
                if error.code == .timedOut { return nil }
                throw codec.failure(of: error)
            }
        }
    }

    private var record: TypedRecord<OAuthRecordCodec> { TypedRecord(codec.key, in: store, codec) }

    private func call<Value: Sendable>(
        _ work: @escaping @Sendable (Deadline) throws(AuthError) -> Value
    ) async throws(AuthError) -> Value {
        let deadline = Deadline.after(timeout)
        return try await DispatchQueue(label: "OpenIDConnect.OAuthRecords").perform { () throws(AuthError) in
            try work(deadline)
        }
    }
}

/// Encodes and decodes the record of one issuer.
struct OAuthRecordCodec: RecordCodec {
    private static let version = "version"
    private static let present = 1

    let key: RecordKey

    /// The kind is a digest, because a record's key is readable in the keyring and too short for a URL. All apps of the
    /// project share the record, whatever the name of their `AuthApp`.
    init(issuer: String, project: String) {
        let digest = Array(SHA256.hash(data: Array(issuer.utf8)).prefix(8)).hexadecimal
        key = RecordKey(scope: .project, project: project, instance: "default", kind: "oauth-\(digest)")
    }

    func decode(_ payload: [UInt8]) throws(RecordFlaw) -> OAuthRecord {
        try VersionedPayload<OAuthRecord>.content(of: payload, Self.version, upTo: Self.present)
    }

    func encode(_ record: OAuthRecord, over found: StoredRecord) throws(AuthError) -> [UInt8] {
        do {
            return try VersionedPayload(Self.version, Self.present, record).bytes
        } catch {
            throw AuthError(.internalError, "The registration of the app could not be written as JSON.")
        }
    }

    func failure(of error: RecordStoreError) -> AuthError {
        AuthError(
            error.authErrorCode,
            "On \(key): \(error.message)",
            remedy: error.remedy ?? error.usualRemedy,
            underlying: error
        )
    }

    func failure(of flaw: RecordFlaw) -> AuthError {
        let isNewer = if case .newer = flaw { true } else { false }
        return AuthError(
            isNewer ? .recordVersionUnsupported : .recordDamaged,
            "On \(key): it cannot be read, because \(flaw.reason).",
            remedy: isNewer ? "It was left unchanged: update this app." : "Sign in again: that replaces it."
        )
    }
}
