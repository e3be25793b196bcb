internal import FoundationEssentials
internal import LoopbackServer
internal import PassAuth
internal import SharedAuth
internal import SharedAuthHTTP

/// The server's state and decisions. Has no clock, and no effects but new random ids: each call takes the time and
/// returns a response.
struct ServerState: Sendable {
    var controls = TestControls()
    var journal = EventJournal()
    /// The limit of each device's calls; nil for no limit.
    var throttle: Throttle?
    var statements: SoftwareStatements
    var registrations = Registrations()
    var sessions: [String: LoginSession] = [:]
    var profiles = Profiles()
    var passes = TemporaryPasses()
    /// The media tokens that were accepted. Each is accepted once.
    var usedMediaTokens: Set<String> = []
    /// The number of media tokens issued. Makes tokens differ, even within the same second.
    var mediaTokenCount = 0
    /// The user and TV provider of each browser, by the browser's cookie.
    var visitors: [String: Visitor] = [:]
    var programmers = Programmer.all
    var providers = Provider.all
    let key: ServerKey

    /// A user that a TV provider knows by a cookie.
    struct Visitor: Sendable {
        let mvpd: String
        let name: String
    }

    init(key: ServerKey, statements: SoftwareStatements, throttle: Throttle? = nil) {
        (self.key, self.statements, self.throttle) = (key, statements, throttle)
    }

    /// Returns the server's time.
    func date(at now: Date) -> Date { now + controls.clockOffset }

    func programmer(_ id: String) throws(Refusal) -> Programmer {
        if let programmer = programmers.first(where: { $0.id == id }) { return programmer }
        throw Refusal(
            400,
            "invalid_parameter_service_provider",
            "The service provider is unknown. Use one that the server's first page lists.",
            action: "configuration"
        )
    }

    /// Returns a TV provider that a programmer works with.
    func provider(_ id: String, of programmer: Programmer) throws(Refusal) -> Provider {
        guard let provider = providers.first(where: { $0.id == id }) else {
            throw Refusal(400, "invalid_parameter_mvpd", "The TV provider is unknown.", action: "configuration")
        }
        if programmer.disabled.contains(id) {
            throw Refusal(
                400,
                "invalid_integration",
                "The programmer does not work with this TV provider at present.",
                action: "configuration"
            )
        }
        return provider
    }

    /// Returns a TV provider for one of its pages.
    func provider(_ id: String) throws(Refusal) -> Provider {
        guard let provider = providers.first(where: { $0.id == id }) else {
            throw .notFound("TV provider of that name")
        }
        return provider
    }

    /// Returns the caller, from the access token, the device id and the other headers.
    func caller(_ call: Call, now: Date) throws(Refusal) -> Caller {
        let bearer = call[header: "Authorization"].flatMap { $0.hasPrefix("Bearer ") ? String($0.dropFirst(7)) : nil }
        guard let token = bearer ?? call.query["access_token"],
            let id = registrations.client(ofToken: token, now: now)
        else {
            throw .registration(
                401,
                "access_denied",
                "The access token is missing, unknown or expired. Get a new one."
            )
        }
        guard let client = registrations.client(id), statements.isInForce(client.statement) else {
            throw .registration(403, "invalid_client", "The app is no longer registered. Register again.")
        }
        let device = call[header: "AP-Device-Identifier"]?.split(separator: " ") ?? []
        guard device.count == 2, device[0] == "fingerprint", let bytes = Data(base64Encoded: String(device[1])),
            let fingerprint = String(validating: bytes, as: UTF8.self), !fingerprint.isEmpty
        else {
            throw Refusal(
                400,
                "invalid_header_device_identifier",
                "The header AP-Device-Identifier is not the word fingerprint followed by base64 of the fingerprint."
            )
        }
        guard call.namesDevice else {
            throw Refusal(
                400,
                "invalid_header_device_info",
                "The header X-Device-Info is not base64 of a JSON object with a member model."
            )
        }
        return Caller(
            client: client.id,
            fingerprint: fingerprint,
            subject: try subject(call, now: now),
            identity: try identity(call)
        )
    }

    private func subject(_ call: Call, now: Date) throws(Refusal) -> String? {
        guard let token = call[header: "AD-Service-Token"] else { return nil }
        if let subject = key.subject(ofServiceToken: token, now: now) { return subject }
        throw Refusal(400, "invalid_header_service_token", "The service token is not from this server, or has expired.")
    }

    private func identity(_ call: Call) throws(Refusal) -> String? {
        guard let header = call[header: "AP-TempPass-Identity"] else { return nil }
        if let bytes = Data(base64Encoded: header), let email = JSONValue(bytes: bytes)?["email"]?.string {
            return email
        }
        throw Refusal(
            400,
            "invalid_header_identity_for_temporary_access",
            "The header AP-TempPass-Identity is not base64 of a JSON object with a member email."
        )
    }
}
