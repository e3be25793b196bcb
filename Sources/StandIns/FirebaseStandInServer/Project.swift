internal import FoundationEssentials
internal import LoopbackServer
internal import SharedAuth
internal import SharedAuthHTTP
internal import Synchronization

/// The project of a stand-in. Owns its state and its clock.
final class Project: Sendable {
    let id: String
    let events: EventLog<StandInEvent>
    let faults = Faults()
    private let keys = KeyRing.shared
    private let directory: Mutex<Directory>
    private let offset = Mutex<TimeInterval>(0)
    private let clock: @Sendable () -> Date

    init(
        id: String,
        settings: StandInSettings,
        events: EventLog<StandInEvent>,
        clock: @escaping @Sendable () -> Date = { Date() }
    ) {
        self.id = id
        self.events = events
        self.clock = clock
        directory = Mutex(Directory(project: id, settings: settings))
    }

    /// The time by the project's clock.
    var now: Date { clock().addingTimeInterval(offset.withLock { $0 }) }

    /// Moves the clock forward, or back if `seconds` is negative. Returns false, and leaves the clock unchanged, if the
    /// total would exceed about 100 years.
    @discardableResult
    func advanceClock(by seconds: TimeInterval) -> Bool {
        offset.withLock { offset in
            guard abs(offset + seconds) < 3_200_000_000 else { return false }
            offset += seconds
            return true
        }
    }

    /// Reads or changes the project's directory, and then logs the resulting events.
    func withDirectory<Result: Sendable>(
        _ body: (inout Directory, Date) throws(Refusal) -> Result
    ) throws(Refusal) -> Result {
        let now = now
        var news: [StandInEvent] = []
        defer { for event in news { events.note(event) } }
        return try directory.withLock { directory throws(Refusal) in
            defer {
                news = directory.news
                directory.news = []
            }
            return try body(&directory, now)
        }
    }

    var settings: StandInSettings {
        get { directory.withLock { $0.settings } }
        set { directory.withLock { $0.settings = newValue } }
    }

    /// Deletes the accounts of a tenant, or without a tenant, all accounts and sessions.
    func forget(tenantID: String?) {
        directory.withLock { directory in
            guard let tenantID else {
                directory = Directory(project: directory.project, settings: directory.settings)
                return
            }
            for account in directory.accounts.values where account.tenantID == tenantID {
                directory.accounts[account.uid] = nil
            }
        }
    }
}

/// Signing and verifying tokens.
extension Project {
    /// Returns the response to a call, with the tokens of its grant.
    func answer(_ reply: Directory.Reply) async throws(Refusal) -> ServedAnswer {
        var members = reply.members
        if let grant = reply.grant {
            members["idToken"] = .string(try await keys.key(.tokenService).sign(grant.claims))
            members["refreshToken"] = .string(grant.refreshToken)
            members["expiresIn"] = .string("\(grant.seconds)")
        }
        return .json(.object(members))
    }

    /// Returns the response to a refresh.
    func answer(toRefresh grant: Grant) async throws(Refusal) -> ServedAnswer {
        let token = JSONValue.string(try await keys.key(.tokenService).sign(grant.claims))
        return .json(
            .object([
                "id_token": token, "access_token": token, "expires_in": .string("\(grant.seconds)"),
                "refresh_token": .string(grant.refreshToken), "token_type": .string("Bearer"),
                "user_id": .string(grant.uid), "project_id": .string("1234567890"),
            ])
        )
    }

    /// Returns the claims of the ID token in a call; nil if the call has none.
    func claims(ofIDTokenIn body: JSONObject) async throws(Refusal) -> [String: JSONValue]? {
        guard let token = body.string("idToken") else { return nil }
        guard let claims = try await keys.key(.tokenService).claims(of: token) else {
            throw Refusal("INVALID_ID_TOKEN")
        }
        return claims
    }

    /// Returns the claims of a custom token from a back end of this project.
    func claims(ofCustomToken token: String?) async throws(Refusal) -> [String: JSONValue] {
        guard let token else { throw Refusal("MISSING_CUSTOM_TOKEN") }
        guard let claims = try await keys.key(.serviceAccount).claims(of: token) else {
            throw Refusal("INVALID_CUSTOM_TOKEN", "The signature is not that of the project's service account.")
        }
        try CustomTokenOrder.check(claims, of: id, at: now)
        return claims
    }

    /// Returns the claims of an ID token from another service.
    func claims(ofForeignToken token: String, from providerID: String) async throws(Refusal) -> JSONObject {
        guard let members = try await keys.key(.otherServices).claims(of: token) else {
            throw Refusal("INVALID_IDP_RESPONSE", "The signature of the ID token is not the provider's.")
        }
        let claims = JSONObject(members: members)
        guard claims.string("iss") == ForeignTokenOrder.issuer(of: providerID) else {
            throw Refusal("INVALID_IDP_RESPONSE", "The ID token is from another provider.")
        }
        guard let expiry = members["exp"]?.number, expiry > now.timeIntervalSince1970 else {
            throw Refusal("INVALID_IDP_RESPONSE", "The ID token has expired.")
        }
        let audience = claims.string("aud") ?? ""
        guard (settings.clientIDs[providerID] ?? [StandInSettings.clientID]).contains(audience) else {
            throw Refusal(
                "INVALID_IDP_RESPONSE",
                "The audience in ID Token [\(audience)] does not match the expected audience."
            )
        }
        return claims
    }

    func mint(_ order: CustomTokenOrder) async throws(Refusal) -> String {
        try await keys.key(.serviceAccount).sign(order.token(for: id, at: now))
    }

    func mint(_ order: ForeignTokenOrder) async throws(Refusal) -> String {
        try await keys.key(.otherServices).sign(order.claims(at: now))
    }

    /// Returns the public key of the token service, as a JSON Web Key Set.
    func publicKeys() async throws(Refusal) -> JSONValue {
        .object(["keys": .array([try await keys.key(.tokenService).publicKey])])
    }
}
