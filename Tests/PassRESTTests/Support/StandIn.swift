import Foundation
import LoopbackServer
import SharedAuth
import SharedAuthHTTP
import TestSupport
import Testing

@testable import PassAuth
@testable import PassREST
@testable import PassServer

/// Where a stand-in server is, with the apps and the person of a test.
protocol Site: SendableMetatype {
    var address: String { get }
    var keyring: InMemoryRecordStore { get }
    /// The time that it is for the apps.
    var now: @Sendable () -> Date { get }
}

/// The stand-in server in this process, reached by HTTP.
final class StandIn: Site, Sendable {
    static let team = "TEAM1.example.pass"

    let clock = TestClock()
    let server: LoopbackServer
    /// Where sign-ins are to lead in the end, as they were begun.
    let redirects = Recorder<String>()
    /// What the server said of who is signed in, as it was sent.
    let profiles = Recorder<[UInt8]>()
    let keyring = InMemoryRecordStore()

    var address: String { server.address }
    var now: @Sendable () -> Date { { [clock] in clock.now } }

    /// Starts one; `hold` keeps it from a request until it returns.
    init(throttle: Throttle? = nil, hold: @escaping @Sendable (ServedRequest) async -> Void = { _ in }) throws {
        let state = ServerState(
            keys: try ServerKeys(),
            statements: SoftwareStatements(agreed: ["statement"]),
            throttle: throttle
        )
        let service = PassService(state, now: { [clock] in clock.now })
        server = try LoopbackServer(named: "PassServer") { [redirects, profiles] request in
            if request.path.hasSuffix("/sessions"), let address = request.form["redirectUrl"] {
                redirects.record(address)
            }
            await hold(request)
            let answer = await service.answer(request)
            if request.path.contains("/profiles") { profiles.record(answer.body) }
            return answer
        }
    }
}

extension Site {
    /// An app of the team.
    func app(
        _ name: String = "News",
        group: String? = StandIn.team,
        device: String = "device",
        policy: DeviceMismatchPolicy = .ignore,
        screen: AccessEnabler.Settings.Screen = .first,
        statement: String = "statement",
        _ change: (inout PassRESTBackend.Settings) -> Void = { _ in }
    ) throws -> ViewerApp {
        let tokens = PassTokenStore(
            appID: "com.example.tv.\(name)",
            group: try group.map { try AccessGroup($0) },
            in: keyring,
            device: try .custom(device),
            options: .init(mismatchPolicy: policy, now: now)
        )
        var settings = PassRESTBackend.Settings()
        change(&settings)
        let (now, start) = (now, now())
        let backEnd = PassRESTBackend(
            try PassEndpoints(api: address),
            clients: StoredClients(appID: tokens.appID, in: keyring),
            settings: settings,
            elapsed: { .seconds(now().timeIntervalSince(start)) },
            now: now
        )
        return ViewerApp(statement, tokens, backEnd, .init(screen: screen, customRedirectURL: "adbe.x://adobe.com"))
    }

    /// Who uses the app, as the programmer's own service says it.
    func serviceToken(of person: String) -> @Sendable () async throws -> String {
        { [address] in try await Self.send(.get, "\(address)/standin/service-token/\(person)").text }
    }

    /// The person signs in at a page with one stroke, and comes to this address.
    func signIn(at page: String) async throws -> String {
        let answer = try await Self.send(.get, page + "?grant=1")
        return try #require(answer.headers["Location"])
    }

    /// The person fills in the login page that a page leads to, and comes to this address.
    func fillIn(_ page: String) async throws -> String {
        let login = try #require(try await Self.send(.get, page).headers["Location"], "\(page)")
        let parts = login.split(separator: "?code=")
        let form = ["code": String(parts[1]), "username": "viewer", "password": ServerState.password]
        let done = try await post(String(parts[0]), form)
        if let address = done.headers["Location"] { return address }
        // To an app's own scheme by a link.
        let link = try #require(done.text.split(separator: "id=\"app\" href=\"").last?.split(separator: "\"").first)
        return String(link).replacing("&amp;", with: "&")
    }

    /// The person types a code on the page for codes; the page that it leads to.
    func type(_ code: String) async throws -> String {
        address + (try #require(try await post("/activate", ["code": code]).headers["Location"]))
    }

    private func post(_ path: String, _ form: [String: String]) async throws -> HTTPResponse {
        let headers: HTTPHeaders = ["Content-Type": "application/x-www-form-urlencoded"]
        let address = path.hasPrefix("http") ? path : address + path
        return try await Self.send(.post, address, headers, FormEncoding.encode(form.map { ($0.key, $0.value) }))
    }

    /// Posts JSON.
    @discardableResult
    func post(_ path: String, json: JSONValue) async throws -> HTTPResponse {
        let headers: HTTPHeaders = ["Content-Type": "application/json"]
        let text = String(decoding: json.bytes, as: UTF8.self)
        let answer = try await Self.send(.post, address + path, headers, text)
        #expect(answer.status == 200, "\(answer.text)")
        return answer
    }

    func turn(_ knob: String, _ order: String) async throws {
        try await post("/control/\(knob)", json: try #require(JSONValue(bytes: order.utf8)))
    }

    /// Spoils the next answers of an endpoint.
    func spoil(_ endpoint: String, _ fault: String, times: Int = 1) async throws {
        try await turn("fault", #"{"endpoint": "\#(endpoint)", "fault": "\#(fault)", "times": \#(times)}"#)
    }

    /// What happened of this kind, as the server noted it.
    func events(_ name: String) async throws -> [JSONValue] {
        let answer = try await Self.send(.get, "\(address)/control/events")
        guard case .array(let events)? = JSONValue(bytes: answer.body) else { return [] }
        return events.filter { $0["event"]?.string == name }
    }

    /// How often an endpoint answered or refused.
    func count(_ endpoint: String) async throws -> Int {
        let all = try await events("answered") + events("refused")
        return all.count { $0["endpoint"]?.string == endpoint }
    }

    static func send(
        _ method: HTTPRequest.Method,
        _ address: String,
        _ headers: HTTPHeaders = [:],
        _ body: String? = nil
    ) async throws -> HTTPResponse {
        let url = try #require(URL(string: address))
        let request = HTTPRequest(method, url, headers: headers, body: body.map { Array($0.utf8) })
        return try await LibsoupTransport.libsoup.send(request, within: HTTPLimits(exchange: .seconds(60)))
    }
}

extension HTTPResponse {
    var text: String { String(decoding: body, as: UTF8.self) }
}
