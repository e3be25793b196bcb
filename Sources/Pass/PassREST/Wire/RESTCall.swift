internal import FoundationEssentials
internal import PassAuth
internal import SharedAuth
internal import SharedAuthHTTP

/// The caller in REST v2: a programmer's app on a device.
struct Caller: Sendable {
    let requestor: String
    let fingerprint: String
    let options: ClientOptions
    var serviceProvider: String?
    var genericData: [String: String] = [:]
    /// The digest of the client that the caller's sign-in belongs to, if known.
    var profileClient: String?
}

extension Caller {
    init(_ request: PassRequest) {
        self.init(
            requestor: request.requestor,
            fingerprint: request.fingerprint,
            options: request.options,
            serviceProvider: request.serviceProvider,
            genericData: request.genericData,
            profileClient: request.token?.profileClient
        )
    }

    /// Returns `signedInByOtherApp` if the server misses a profile that belongs to another client; returns any other
    /// error unchanged.
    func attributed(_ error: PassBackendError, to client: RegisteredClient) -> PassBackendError {
        guard error.serverStatus?.code == "authenticated_profile_missing",
            !ProfileClients.only([client.digest]).contains(profileClient)
        else { return error }
        return PassBackendError(
            .signedInByOtherApp,
            "The sign-in belongs to another app, or to an earlier registration of this app, so Pass does not accept it "
                + "here. Sign in again (use --force with 'sharedauth pass login'). Apps of a group share a sign-in if "
                + "their service tokens name the same user.",
            serverStatus: error.serverStatus
        )
    }
}

/// A successful response.
struct RESTAnswer: Sendable {
    let object: JSONObject
    /// The server's time, if the response has a date.
    let date: Date?
    /// The client that sent the request.
    let client: RegisteredClient
    let server: PassServer
}

/// One call of REST v2.
struct RESTCall: Sendable {
    private enum Body {
        case none
        case form([(name: String, value: String)])
        case json([String: JSONValue])
    }

    private let method: HTTPRequest.Method
    /// The unescaped components of the path after `/api/v2`.
    private let path: [String]
    private var query: [(name: String, value: String)] = []
    private var body = Body.none
    /// True if the request carries the headers that identify the user.
    let namesPerson: Bool

    private init(_ method: HTTPRequest.Method, _ path: [String], namesPerson: Bool = true) {
        self.method = method
        self.path = path
        self.namesPerson = namesPerson
    }

    var isRepeatable: Bool { method == .get }

    static func configuration(_ requestor: String, profile: String?) -> RESTCall {
        var call = RESTCall(.get, [requestor, "configuration"], namesPerson: false)
        if let profile { call.query = [("profile", profile)] }
        return call
    }

    static func createSession(_ requestor: String, _ parameters: SessionParameters) -> RESTCall {
        var call = RESTCall(.post, [requestor, "sessions"])
        call.body = .form(parameters.form)
        return call
    }

    static func resumeSession(_ requestor: String, _ code: String, _ parameters: SessionParameters) -> RESTCall {
        var call = RESTCall(.post, [requestor, "sessions", code])
        call.body = .form(parameters.form)
        return call
    }

    static func session(_ requestor: String, _ code: String) -> RESTCall {
        RESTCall(.get, [requestor, "sessions", code], namesPerson: false)
    }

    static func profile(_ requestor: String, code: String) -> RESTCall {
        RESTCall(.get, [requestor, "profiles", "code", code])
    }

    static func profile(_ requestor: String, mvpd: String) -> RESTCall {
        RESTCall(.get, [requestor, "profiles", mvpd])
    }

    static func decisions(
        _ kind: DecisionKind,
        _ requestor: String,
        mvpd: String,
        resources: [String]
    ) -> RESTCall {
        var call = RESTCall(.post, [requestor, "decisions", kind.rawValue, mvpd])
        call.body = .json(["resources": .array(resources.map { .string($0) })])
        return call
    }

    static func logOut(_ requestor: String, _ mvpd: String, _ redirectURL: String) -> RESTCall {
        var call = RESTCall(.get, [requestor, "logout", mvpd])
        call.query = [("redirectUrl", redirectURL)]
        return call
    }

    /// Returns the HTTP request for the call.
    func request(
        to server: PassServer,
        for caller: Caller,
        _ token: AccessToken,
        _ personal: HTTPHeaders
    ) throws(PassBackendError) -> HTTPRequest {
        // Servers resolve these as path segments, escaped or not.
        guard !path.contains(where: { $0 == "." || $0 == ".." }) else {
            throw PassBackendError(.badRequest, "A code or id in the call is \".\" or \"..\". Check your input.")
        }
        var address = "\(server.api)/api/v2/" + path.map(FormEncoding.escape).joined(separator: "/")
        if !query.isEmpty { address += "?" + FormEncoding.encode(query) }
        var headers = RESTHeaders.of(caller, token)
        for field in personal.fields { headers[field.name] = field.value }
        switch body {
        case .none:
            return try RESTHeaders.request(method, address, headers)
        case .form(let items):
            headers["Content-Type"] = "application/x-www-form-urlencoded"
            return try RESTHeaders.request(method, address, headers, body: Array(FormEncoding.encode(items).utf8))
        case .json(let members):
            headers["Content-Type"] = "application/json;charset=utf-8"
            return try RESTHeaders.request(method, address, headers, body: JSONValue.object(members).bytes)
        }
    }
}

/// The kind of decision about resources.
enum DecisionKind: String, Sendable {
    case authorize, preauthorize
}

/// The parameters of a session. Missing ones can be sent later.
struct SessionParameters: Sendable {
    var mvpd: String?
    var domain: String?
    var redirectURL: String?

    var form: [(name: String, value: String)] {
        let all = [("mvpd", mvpd), ("domainName", domain), ("redirectUrl", redirectURL)]
        return all.compactMap { name, value in value.map { (name: name, value: $0) } }
    }
}
