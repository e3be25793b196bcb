internal import Crypto
internal import DesktopSupport
internal import Dispatch
internal import FoundationEssentials
internal import SharedAuth

/// The knowledge that the apps of a project share about a server: the server, as the app that signed in there knows it,
/// the clients that they have registered, and the server's metadata.
struct OAuthRecord: Sendable, Hashable, Codable {
    var place: OAuthServer.Place
    var user: OAuthUser.Stored
    var resources: [String]
    var providerID: String
    /// The registered clients, newest first. A session keeps its client when another is registered.
    private(set) var clients: [RegisteredClient] = []
    var metadata: FoundMetadata?

    /// The number of clients that are kept.
    static let mostClients = 8

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

    /// Returns the registered client of an ID; nil if there is none.
    func client(_ id: String) -> RegisteredClient? { clients.first { $0.id == id } }

    /// Returns the newest client that meets a need; nil if there is none.
    func client(for need: ClientNeed) -> RegisteredClient? { clients.first(where: need.isMet) }

    /// Adds a client. The oldest one is dropped if there are too many.
    mutating func add(_ client: RegisteredClient) {
        clients = Array(([client] + clients.filter { $0.id != client.id }).prefix(Self.mostClients))
    }

    /// Notes that the server no longer accepts a client, which no other sign-in then uses.
    mutating func refuse(_ client: RegisteredClient) {
        if let index = clients.firstIndex(of: client) { clients[index].isRefused = true }
    }

    /// Returns the record as the app that signs in knows the server, with the clients of this one.
    func renamed(by client: OAuthClient) -> OAuthRecord {
        var record = OAuthRecord(client)
        (record.clients, record.metadata) = (clients, metadata)
        return record
    }
}

extension OAuthRecord: Redacted {
    /// The IDs of the clients.
    var description: String { "OAuthRecord(\(clients.map(\.id)))" }
    /// Shows the IDs of the clients only.
    var customMirror: Mirror { Mirror(self, children: ["clients": clients.map(\.id)]) }
}

/// The needs of a sign-in, which a registered client may meet.
struct ClientNeed: Sendable {
    /// The redirect URIs.
    var redirectURIs: [String] = []
    /// The grant, if registrations ask for it.
    var grantType: String?
    var now: Date

    /// Returns whether a client can be used.
    func isMet(by client: RegisteredClient) -> Bool {
        !client.isRefused && client.isUsable(at: now) && redirectURIs.allSatisfy(client.redirectURIs.contains)
            && grantType.map(client.grantTypes.contains) ?? true
    }
}

/// A record of a project. Stores block, so each call runs on its own thread.
struct OAuthRecords: Sendable {
    let store: any RecordStore
    let timeout: Duration
    private let codec: OAuthRecordCodec

    init(named name: String, in store: any RecordStore, project: String, timeout: Duration) {
        (self.store, self.timeout) = (store, timeout)
        codec = OAuthRecordCodec(name: name, project: project)
    }

    /// Returns the record; nil if there is none.
    ///
    /// - Parameter policy: The treatment of a damaged record. A sign-in replaces it.
    func read(ifDamaged policy: DamagePolicy = .fail) async throws(AuthError) -> OAuthRecord? {
        try await call { (deadline) throws(AuthError) in
            try record.read(by: deadline, ifDamaged: policy).content
        }
    }

    /// Stores a new client.
    ///
    /// - Returns: The client to use: another one that meets the need, if a process that shares no lock with this one
    ///   was faster.
    func add(
        _ new: RegisteredClient,
        of client: OAuthClient,
        for need: ClientNeed
    ) async throws(AuthError) -> RegisteredClient {
        try await call { (deadline) throws(AuthError) in
            try record.update(by: deadline, ifDamaged: .setAside) { (found) throws(AuthError) in
                if let stored = found.content?.client(for: need) { return (stored, .keep) }
                var content = found.content?.renamed(by: client) ?? OAuthRecord(client)
                content.add(new)
                return (new, .store(content))
            }
        }
    }

    /// Notes that the server no longer accepts a client. Its sessions keep it.
    func refuse(_ refused: RegisteredClient) async throws(AuthError) {
        try await call { (deadline) throws(AuthError) in
            try record.update(by: deadline) { (found) throws(AuthError) in
                guard var content = found.content else { return ((), .keep) }
                content.refuse(refused)
                return ((), found.content == content ? .keep : .store(content))
            }
        }
    }

    /// Stores how the app that signs in knows the server, for programs that find its sessions without knowing the app.
    ///
    /// - Parameter metadata: The server's metadata; nil to keep the stored one.
    func remember(_ client: OAuthClient, _ metadata: FoundMetadata?) async throws(AuthError) {
        try await call { (deadline) throws(AuthError) in
            try record.update(by: deadline, ifDamaged: .setAside) { (found) throws(AuthError) in
                var content = found.content?.renamed(by: client) ?? OAuthRecord(client)
                content.metadata = metadata ?? content.metadata
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

/// Encodes and decodes a record about a server.
struct OAuthRecordCodec: RecordCodec {
    private static let version = "version"
    private static let present = 1

    let key: RecordKey

    /// The kind is a digest, because a record's key is readable in the keyring and too short for a URL. All apps of the
    /// project share the record, whatever the name of their `AuthApp`.
    init(name: String, project: String) {
        let digest = Array(SHA256.hash(data: Array(name.utf8)).prefix(8)).hexadecimal
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
