import FoundationEssentials
import LoopbackServer
import SharedAuth
import SharedAuthHTTP
import TestSupport
import Testing

@testable import PassServer

/// A server in this process, and the way to it by HTTP.
struct StandIn {
    static let statement = "statement"

    let clock = TestClock()
    let server: LoopbackServer

    init(throttle: Throttle? = nil) throws {
        let state = ServerState(
            keys: try ServerKeys(),
            statements: SoftwareStatements(agreed: [Self.statement]),
            throttle: throttle
        )
        let service = PassService(state, now: { [clock] in clock.now })
        server = try LoopbackServer(named: "PassServer") { await service.answer($0) }
    }

    /// Sends a request and returns the answer, with no redirect followed.
    func send(
        _ method: HTTPRequest.Method,
        _ path: String,
        _ headers: HTTPHeaders = [:],
        _ body: String? = nil
    ) async throws -> HTTPResponse {
        let address = path.hasPrefix("http") ? path : server.address + path
        let url = try #require(URL(string: address))
        let request = HTTPRequest(method, url, headers: headers, body: body.map { Array($0.utf8) })
        return try await LibsoupTransport.libsoup.send(request, within: HTTPLimits(exchange: .seconds(60)))
    }

    /// Posts a form.
    func post(_ path: String, _ form: [String: String], _ headers: HTTPHeaders = [:]) async throws -> HTTPResponse {
        var headers = headers
        headers["Content-Type"] = "application/x-www-form-urlencoded"
        return try await send(.post, path, headers, FormEncoding.encode(form.map { ($0.key, $0.value) }))
    }

    /// Posts JSON.
    func post(json: JSONValue, _ path: String, _ headers: HTTPHeaders = [:]) async throws -> HTTPResponse {
        var headers = headers
        headers["Content-Type"] = "application/json"
        return try await send(.post, path, headers, String(decoding: json.bytes, as: UTF8.self))
    }

    /// Turns a knob.
    func turn(_ knob: String, _ order: [String: JSONValue]) async throws {
        let answer = try await post(json: .object(order), "/control/\(knob)")
        #expect(answer.status == 200, "\(answer.text)")
    }

    /// The names of what has happened.
    func events() async throws -> [[String: JSONValue]] {
        guard case .array(let events)? = try await send(.get, "/control/events").json else { return [] }
        return events.compactMap { if case .object(let members) = $0 { members } else { nil } }
    }

    /// Has the person sign in on a page; where the page leads.
    func fillIn(_ page: String) async throws -> String {
        let login = try #require(try await send(.get, page).headers["Location"])
        let parts = login.split(separator: "?code=")
        let form = ["code": String(parts[1]), "username": "viewer", "password": ServerState.password]
        let done = try await post(String(parts[0]), form)
        if let address = done.headers["Location"] { return address }
        let link = try #require(done.text.split(separator: "id=\"app\" href=\"").last?.split(separator: "\"").first)
        return String(link).replacing("&amp;", with: "&")
    }

    /// Registers an app on a device.
    func device(_ fingerprint: String = "device", statement: String = Self.statement) async throws -> Device {
        let registered = try await post(
            json: .object(["software_statement": .string(statement)]),
            "/o/client/register"
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

/// An instance of an app on a device, which has registered.
struct Device {
    let server: StandIn
    let id: String
    let secret: String
    var fingerprint: String
    var token = ""
    var extra: HTTPHeaders = [:]

    /// Asks for an access token.
    func accessToken() async throws -> HTTPResponse {
        let form = ["client_id": id, "client_secret": secret, "grant_type": "client_credentials"]
        return try await server.post("/o/client/token", form)
    }

    /// Takes another access token.
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

    /// Signs a person in on the TV provider's page; where the browser goes on.
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

    /// Asks for decisions.
    func decide(
        _ kind: String,
        _ resources: [String],
        _ mvpd: String = "Cable",
        requestor: String = "ExampleNews"
    ) async throws -> HTTPResponse {
        let list = JSONValue.object(["resources": .array(resources.map(JSONValue.string))])
        return try await server.post(json: list, "/api/v2/\(requestor)/decisions/\(kind)/\(mvpd)", headers)
    }

    /// The TV providers that somebody is signed in with.
    func profiles(_ requestor: String = "ExampleNews") async throws -> [String: JSONValue] {
        guard case .object(let found)? = try await get("/api/v2/\(requestor)/profiles").json?["profiles"] else {
            return [:]
        }
        return found
    }
}

extension HTTPResponse {
    var text: String { String(decoding: body, as: UTF8.self) }
    var json: JSONValue? { JSONValue(bytes: body) }
    /// The code of a refusal.
    var code: String? { json?["code"]?.string ?? json?["error"]?.string }
    /// The first decision.
    var decision: JSONValue? {
        if case .array(let decisions)? = json?["decisions"] { decisions.first } else { nil }
    }
    /// Of each decision, whether it permits.
    var permitted: [Bool] {
        if case .array(let decisions)? = json?["decisions"] {
            decisions.compactMap { $0["authorized"]?.bool }
        } else {
            []
        }
    }
}
