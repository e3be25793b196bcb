import FirebaseStandInServer
import FoundationEssentials
import LoopbackServer
import SharedAuth
import SharedAuthHTTP
import Testing

@testable import IdentityToolkit

/// A stand-in in the test's process, and the client library that uses it.
struct Project {
    let standIn: StandIn
    let http: HTTPClient

    init(_ adjust: (inout StandInSettings) -> Void = { _ in }) throws {
        var settings = StandInSettings()
        adjust(&settings)
        standIn = try StandIn(settings: settings)
        var policy = HTTPPolicy()
        policy.retryLimit = 0
        policy.callTimeout = Self.patience
        http = HTTPClient(policy: policy)
    }

    /// Long, since the machine may be busy.
    private static let patience = Duration.seconds(240)

    /// Returns a client of the stand-in, which it uses as an emulator.
    func toolkit(key: String = "KEY", adjust: (inout IdentityToolkit.Settings) -> Void = { _ in }) -> IdentityToolkit {
        var settings = IdentityToolkit.Settings()
        settings.policy.retryLimit = 0
        settings.policy.callTimeout = Self.patience
        adjust(&settings)
        let toolkit = IdentityToolkit(apiKey: key, settings: settings)
        toolkit.use(Emulator(host: "127.0.0.1", port: standIn.port, allowsPlainHTTP: false))
        return toolkit
    }

    /// Signs up a user with the password `secret-1`.
    func signUp(_ email: String = "ada@example.com") async throws -> IdentityGrant {
        try await toolkit().createUser(withEmail: email, password: "secret-1", tenantID: nil)
    }

    /// Makes a call as on the wire and returns the response's body, whatever its status.
    @discardableResult
    func call(_ path: String, _ members: [String: JSONValue], asOwner: Bool = false) async throws -> JSONObject {
        try await send(
            .post,
            "/identitytoolkit.googleapis.com/\(path)?key=KEY",
            members,
            asOwner
                ? ["Authorization": "Bearer owner", "Content-Type": "application/json"]
                : ["Content-Type": "application/json"]
        )
    }

    /// Makes a call that only the project's back end is allowed to make.
    @discardableResult
    func administer(_ operation: String, _ members: [String: JSONValue]) async throws -> JSONObject {
        try await call("v1/projects/stand-in/accounts:\(operation)", members, asOwner: true)
    }

    func send(
        _ method: HTTPRequest.Method,
        _ path: String,
        _ members: [String: JSONValue]? = nil,
        _ headers: HTTPHeaders = ["Content-Type": "application/json"]
    ) async throws -> JSONObject {
        let url = try #require(URL(string: standIn.address + path))
        let body = try members.map { Array(try JSONEncoder().encode($0)) }
        let response = try await http.send(HTTPRequest(method, url, headers: headers, body: body), retrying: .never)
        return try #require(JSONObject(response.body), "\(String(decoding: response.body, as: UTF8.self))")
    }

    /// Returns the page that a browser shows at an address.
    func page(_ address: String) async throws -> HTTPResponse {
        let request = HTTPRequest(.get, try #require(URL(string: address)), headers: ["Accept": "text/html"])
        return try await LibsoupTransport().send(request, within: HTTPLimits(exchange: Self.patience))
    }

    /// Returns the number of calls with this path.
    func count(of path: String) -> Int {
        standIn.events.all.count { $0.kind == .call && $0.detail?.hasPrefix(path) == true }
    }
}

extension JSONObject {
    /// The error word of a refusal.
    var refusal: String? {
        let message = JSONObject(members["error"])?.string("message")
        return message.map { String($0.prefix { $0 != " " }) }
    }
}

extension IdentityGrant {
    var idToken: JSONValue { .string(tokens.idToken ?? "") }
}
