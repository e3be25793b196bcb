import Dispatch
import Foundation
import LoopbackServer
import SharedAuth
import SharedAuthHTTP
import TestSupport
import Testing

@testable import PassAuth
@testable import PassREST
@testable import PassServer

/// The stand-in server in this process, reached by HTTP, with the apps and the person of a test.
final class StandIn: Sendable {
    static let team = "TEAM1.example.pass"

    let clock = TestClock()
    let server: LoopbackServer
    /// Where sign-ins are to lead in the end, as they were begun.
    let redirects = Recorder<String>()
    let keyring = InMemoryRecordStore()

    init(throttle: Throttle? = nil) throws {
        let state = ServerState(
            keys: try ServerKeys(),
            statements: SoftwareStatements(agreed: ["statement"]),
            throttle: throttle
        )
        let service = PassService(state, now: { [clock] in clock.now })
        server = try LoopbackServer(named: "PassServer") { [redirects] request in
            if request.path.hasSuffix("/sessions"), let address = request.form["redirectUrl"] {
                redirects.record(address)
            }
            return await service.answer(request)
        }
    }

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
            options: .init(mismatchPolicy: policy, now: { [clock] in clock.now })
        )
        var settings = PassRESTBackend.Settings()
        change(&settings)
        let start = clock.now
        let backEnd = PassRESTBackend(
            try PassEndpoints(api: server.address),
            clients: StoredClients(appID: tokens.appID, in: keyring),
            settings: settings,
            elapsed: { [clock] in .seconds(clock.now.timeIntervalSince(start)) },
            now: { [clock] in clock.now }
        )
        return ViewerApp(statement, tokens, backEnd, .init(screen: screen, customRedirectURL: "adbe.x://adobe.com"))
    }

    /// Who uses the app, as the programmer's own service says it.
    func serviceToken(of person: String) -> @Sendable () async throws -> String {
        { [server] in try await Self.send(.get, "\(server.address)/standin/service-token/\(person)").text }
    }

    /// The person signs in at a page, and comes to this address.
    func signIn(at page: String) async throws -> String {
        let answer = try await Self.send(.get, page + "?grant=1")
        return try #require(answer.headers["Location"])
    }

    func turn(_ knob: String, _ order: String) async throws {
        let headers: HTTPHeaders = ["Content-Type": "application/json"]
        let answer = try await Self.send(.post, "\(server.address)/control/\(knob)", headers, order)
        #expect(answer.status == 200, "\(answer.text)")
    }

    /// What happened of this kind, as the server noted it.
    func events(_ name: String) async throws -> [JSONValue] {
        let answer = try await Self.send(.get, "\(server.address)/control/events")
        guard case .array(let events)? = try? JSONDecoder().decode(JSONValue.self, from: Data(answer.body)) else {
            return []
        }
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

/// An app whose AccessEnabler speaks with the stand-in.
final class ViewerApp {
    let enabler: AccessEnabler
    let timers = TestTimers()
    private var events: AsyncStream<EntitlementEvent>.Iterator

    init(
        _ statement: String,
        _ tokens: PassTokenStore,
        _ backEnd: any PassBackend,
        _ settings: AccessEnabler.Settings
    ) {
        enabler = AccessEnabler(
            statement,
            tokens: tokens,
            backEnd: backEnd,
            settings: settings,
            listenerExecutor: .dispatchQueue(DispatchQueue(label: "test.delegate")),
            wait: { [timers] in await timers.wait($0) }
        )
        events = enabler.events.makeAsyncIterator()
    }

    /// What is heard, but tracking, up to the first whose description begins so.
    func hear(until prefix: String) async -> [EntitlementEvent] {
        var heard: [EntitlementEvent] = []
        while let event = await events.next() {
            if case .tracking = event { continue }
            heard.append(event)
            if "\(event)".hasPrefix(prefix) { return heard }
        }
        return heard
    }

    /// The same, in words.
    func words(until prefix: String) async -> [String] { await hear(until: prefix).map { "\($0)" } }

    /// Configures the app, and forgets what was heard of it.
    func start(_ requestor: String = "ExampleNews") async throws {
        try await enabler.setRequestor(requestor)
        _ = await hear(until: "requestorComplete")
    }

    /// Begins a sign-in, and returns its page.
    func page(_ mvpd: String = "Cable") async throws -> String {
        enabler.setSelectedProvider(mvpd)
        call { $0.getAuthentication() }
        guard case .navigation(let url, _) = await hear(until: "navigation").last else { throw Unexpected() }
        return url
    }

    /// Signs in, as a person does.
    func signIn(_ mvpd: String = "Cable", at standIn: StandIn) async throws {
        enabler.handleExternalURL(try await standIn.signIn(at: try await page(mvpd)))
        _ = await hear(until: "authentication")
    }

    /// Calls as an app does that has a delegate.
    func call(_ make: (AccessEnabler) -> Void) { make(enabler) }
}
