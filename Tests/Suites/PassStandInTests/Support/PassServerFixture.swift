import FoundationEssentials
import LoopbackServer
import SharedAuth
import SharedAuthHTTP
import TestSupport
import Testing

@testable import PassStandInServer

/// The stand-in server in this process, reached over HTTP.
struct PassServerFixture: PassSite {
    static let statement = "statement"

    let clock = TestClock()
    let server: LoopbackServer

    var address: String { server.address }
    var password: String { ServerState.password }

    init(throttle: Throttle? = nil) throws {
        let state = ServerState(
            key: try ServerKey(),
            statements: SoftwareStatements(agreed: [Self.statement]),
            throttle: throttle
        )
        let service = PassService(state, now: { [clock] in clock.now })
        server = try LoopbackServer(named: "PassStandIn") { await service.answer($0) }
    }

    /// Registers an app on a device.
    func device(_ fingerprint: String = "device", statement: String = Self.statement) async throws -> Device {
        let registered = try await post(
            "/o/client/register",
            json: .object(["software_statement": .string(statement)])
        )
        let client = try #require(registered.json)
        var device = Device(
            server: self,
            id: try #require(client["client_id"]?.string),
            secret: try #require(client["client_secret"]?.string),
            fingerprint: fingerprint
        )
        try await device.renew()
        return device
    }
}

/// A registered instance of an app on a device.
struct Device {
    let server: PassServerFixture
    let id: String
    let secret: String
    var fingerprint: String
    var token = ""
    var extra: HTTPHeaders = [:]

    /// Requests an access token.
    func accessToken() async throws -> HTTPResponse {
        let form = ["client_id": id, "client_secret": secret, "grant_type": "client_credentials"]
        return try await server.post("/o/client/token", form)
    }

    /// Replaces the access token.
    mutating func renew() async throws {
        token = try #require(try await accessToken().json?["access_token"]?.string)
    }

    var headers: HTTPHeaders {
        var headers: HTTPHeaders = [
            "Authorization": "Bearer \(token)",
            "AP-Device-Identifier": "fingerprint \(Data(fingerprint.utf8).base64EncodedString())",
            "X-Device-Info": Data(#"{"model":"Test"}"#.utf8).base64EncodedString(),
        ]
        for field in extra.fields { headers[field.name] = field.value }
        return headers
    }

    func get(_ path: String) async throws -> HTTPResponse { try await server.send(.get, path, headers) }

    /// Begins a sign-in.
    func session(
        _ mvpd: String?,
        requestor: String = "ExampleNews",
        domain: String? = "news.example.com",
        redirectURL: String? = "http://127.0.0.1:1/callback?state=s"
    ) async throws -> HTTPResponse {
        let form = ["mvpd": mvpd, "domainName": domain, "redirectUrl": redirectURL].compactMapValues(\.self)
        return try await server.post("/api/v2/\(requestor)/sessions", form, headers)
    }

    /// Signs a user in on the TV provider's page; returns the browser's next address.
    @discardableResult
    func signIn(
        _ mvpd: String = "Cable",
        requestor: String = "ExampleNews",
        domain: String = "news.example.com"
    ) async throws -> String {
        let begun = try #require(try await session(mvpd, requestor: requestor, domain: domain).json)
        let code = try #require(begun["code"]?.string)
        let page = try await server.send(.get, try #require(begun["url"]?.string))
        let login = try #require(page.headers["Location"])
        #expect(try await server.send(.get, login).status == 200)
        let path = try #require(login.split(separator: "?").first)
        let form = ["code": code, "username": "viewer", "password": ServerState.password]
        return try #require(try await server.post(String(path), form).headers["Location"])
    }

    /// Requests decisions.
    func decide(
        _ kind: String,
        _ resources: [String],
        _ mvpd: String = "Cable",
        requestor: String = "ExampleNews"
    ) async throws -> HTTPResponse {
        let list = JSONValue.object(["resources": .array(resources.map(JSONValue.string))])
        return try await server.post("/api/v2/\(requestor)/decisions/\(kind)/\(mvpd)", json: list, headers)
    }

    /// Returns the profiles of the TV providers that a user is signed in with.
    func profiles(_ requestor: String = "ExampleNews") async throws -> [String: JSONValue] {
        guard case .object(let found)? = try await get("/api/v2/\(requestor)/profiles").json?["profiles"] else {
            return [:]
        }
        return found
    }
}

extension HTTPResponse {
    /// The code of a refusal.
    var code: String? { json?["code"]?.string ?? json?["error"]?.string }
    /// The first decision.
    var decision: JSONValue? {
        if case .array(let decisions)? = json?["decisions"] { decisions.first } else { nil }
    }
    /// The result of each decision.
    var permitted: [Bool] {
        if case .array(let decisions)? = json?["decisions"] {
            decisions.compactMap { $0["authorized"]?.bool }
        } else {
            []
        }
    }
}
