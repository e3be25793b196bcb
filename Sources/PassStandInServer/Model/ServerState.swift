internal import FoundationEssentials
internal import LoopbackServer
internal import PassAuth
internal import SharedAuth
internal import SharedAuthHTTP

/// Everything that the server knows, and what it decides. It does nothing by itself: a call comes in with the time, and an
/// answer goes out.
struct ServerState: Sendable {
    var controls = TestControls()
    var journal = EventJournal()
    /// Nil: nobody is kept from calling.
    var throttle: Throttle?
    var statements: SoftwareStatements
    var registrations = Registrations()
    var sessions: [String: LoginSession] = [:]
    var profiles = Profiles()
    var passes = TemporaryPasses()
    /// The media tokens that were accepted; each is good once.
    var usedMediaTokens: Set<String> = []
    /// The number of media tokens issued: no two are the same, even within a second.
    var mediaTokenCount = 0
    /// The person signed in in a browser, and the TV provider, by the browser's cookie.
    var visitors: [String: Visitor] = [:]
    var programmers = Programmer.all
    var providers = Provider.all
    let keys: ServerKeys

    /// A person whom a TV provider knows by a cookie.
    struct Visitor: Sendable {
        let mvpd: String
        let name: String
    }

    init(keys: ServerKeys, statements: SoftwareStatements, throttle: Throttle? = nil) {
        (self.keys, self.statements, self.throttle) = (keys, statements, throttle)
    }

    /// The server's time.
    func date(at now: Date) -> Date { now + controls.clockOffset }

    func programmer(_ id: String) throws(Refusal) -> Programmer {
        if let programmer = programmers.first(where: { $0.id == id }) { return programmer }
        throw Refusal(
            400,
            "invalid_parameter_service_provider",
            "The service provider is not known. Use one of those that the server's first page lists.",
            action: "configuration"
        )
    }

    /// A TV provider that a programmer works with.
    func provider(_ id: String, of programmer: Programmer) throws(Refusal) -> Provider {
        guard let provider = providers.first(where: { $0.id == id }) else {
            throw Refusal(400, "invalid_parameter_mvpd", "The TV provider is not known.", action: "configuration")
        }
        if programmer.disabled.contains(id) {
            throw Refusal(
                400,
                "invalid_integration",
                "The programmer does not work with this TV provider, or not at present.",
                action: "configuration"
            )
        }
        return provider
    }

    /// A TV provider's page asks for it.
    func provider(_ id: String) throws(Refusal) -> Provider {
        guard let provider = providers.first(where: { $0.id == id }) else {
            throw .notFound("TV provider of that name")
        }
        return provider
    }

    /// Returns the caller, by the access token, the device and the other headers.
    func caller(_ call: Call, now: Date) throws(Refusal) -> Caller {
        let bearer = call[header: "Authorization"].flatMap { $0.hasPrefix("Bearer ") ? String($0.dropFirst(7)) : nil }
        guard let token = bearer ?? call.query["access_token"],
            let id = registrations.client(ofToken: token, now: now)
        else {
            throw .registration(
                401,
                "access_denied",
                "The access token is missing, not known, or expired. Get another."
            )
        }
        guard let client = registrations.client(id), statements.isInForce(client.statement) else {
            throw .registration(403, "invalid_client", "The app is not registered any more. Register again.")
        }
        let device = call[header: "AP-Device-Identifier"]?.split(separator: " ") ?? []
        guard device.count == 2, device[0] == "fingerprint", let bytes = Data(base64Encoded: String(device[1])),
            let fingerprint = String(validating: bytes, as: UTF8.self), !fingerprint.isEmpty
        else {
            throw Refusal(
                400,
                "invalid_header_device_identifier",
                "The header AP-Device-Identifier is not the word fingerprint and base64 of one."
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
        if let subject = keys.subject(ofServiceToken: token, now: now) { return subject }
        throw Refusal(400, "invalid_header_service_token", "The service token is not one of this server's, or expired.")
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
