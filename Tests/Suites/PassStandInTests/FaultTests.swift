import FoundationEssentials
import SharedAuth
import SharedAuthHTTP
import TestSupport
import Testing

@testable import PassStandInServer

@Suite("Faults that a test requests from the stand-in", .timeLimit(.minutes(2)))
struct FaultTests {
    private static let path = "/api/v2/ExampleNews/configuration"

    @Test("Responses are spoilt at the named endpoint, as often as requested")
    func faults() async throws {
        let server = try PassServerFixture()
        let device = try await server.device()
        func spoil(_ fault: String, _ times: Double = 1) async throws {
            try await server.turn("fault", #"{"endpoint": "configuration", "fault": "\#(fault)", "times": \#(times)}"#)
        }
        try await spoil("garbage", 2)
        for _ in 1...2 {
            let answer = try await device.get(Self.path)
            #expect(answer.status == 200 && answer.json == nil)
        }
        #expect(try await device.get(Self.path).json?["requestor"] != nil)
        try await spoil("failure")
        #expect(try await device.get(Self.path).status == 503)
        try await spoil("throttling")
        let throttled = try await device.get(Self.path)
        #expect(throttled.status == 429 && throttled.headers["Content-Type"] == "text/html")
        try await spoil("cut-off")
        await #expect(throws: HTTPError.self) { try await device.get(Self.path) }
        #expect(try await device.get(Self.path).status == 200)
        #expect(try await server.post("/control/fault", json: .object(["fault": .string("x")])).status == 400)
    }

    @Test(
        "A gateway's response has a status and no body; a long pause lasts a day",
        arguments: [("long-throttling", 429, "86400"), ("gone", 410, nil), ("precondition", 412, nil)]
            as [(String, Int, String?)]
    )
    func gateway(_ fault: String, _ status: Int, _ pause: String?) async throws {
        let server = try PassServerFixture()
        let device = try await server.device()
        try await server.spoil("configuration", fault)
        let answer = try await device.get(Self.path)
        #expect(answer.status == status && answer.body.isEmpty && answer.headers["Retry-After"] == pause)
        #expect(try await device.get(Self.path).status == 200)
    }

    @Test("A device may make ten calls in a burst, then one per second")
    func throttle() async throws {
        let server = try PassServerFixture(throttle: Throttle(rate: 1, burst: 10))
        // Registration does not name a device.
        let (one, two) = (try await server.device("one"), try await server.device("two"))
        for _ in 1...10 { #expect(try await one.get(Self.path).status == 200) }
        #expect(try await one.get(Self.path).status == 429)
        #expect(try await two.get(Self.path).status == 200)
        server.clock.advance(by: 1)
        #expect(try await one.get(Self.path).status == 200)
        #expect(try await one.get(Self.path).status == 429)
    }

    @Test("A latency affects one endpoint only, and a wrong clock every response")
    func latencyAndClock() async throws {
        let server = try PassServerFixture()
        let device = try await server.device()
        try await server.turn("latency", #"{"endpoint": "configuration", "seconds": 3600}"#)
        let slow = Task { try await device.get(Self.path) }
        #expect(try await device.get("/api/v2/ExampleNews/profiles").status == 200)
        slow.cancel()
        await #expect(throws: HTTPError.self) { try await slow.value }
        try await server.turn("clock", #"{"offset": 1800}"#)
        let date = try #require(try await device.get("/api/v2/ExampleNews/profiles").date)
        #expect(abs(date.timeIntervalSince(server.clock.now) - 1800) < 2)
    }

    @Test(
        "Unusable values are refused",
        arguments: [
            ("fault", #"{"endpoint":"configuration","fault":"failure","times":1e300}"#),
            ("fault", #"{"endpoint":"configuration","fault":"failure","times":0.5}"#),
            ("clock", #"{"offset":1e300}"#), ("latency", #"{"endpoint":"configuration","seconds":1e300}"#),
            ("latency", #"{"endpoint":"configuration","seconds":-1}"#), ("throttle", #"{"rate":-1,"burst":1}"#),
            ("lifetimes", #"{"profile":1e300}"#), ("issue-statement", #"{"lifetime":1e300}"#),
            ("lifetimes", #"{"profile":"60"}"#), ("lifetimes", #"{"mediaToken":true}"#),
            ("issue-statement", #"{"lifetime":"60"}"#), ("issue-statement", #"{"application":7}"#),
            ("fault", #"{"endpoint":"configuration","fault":"failure","times":"2"}"#),
            ("integration", #"{"requestor":"ExampleNews","mvpd":"Cable"}"#),
            ("integration", #"{"requestor":"ExampleNews","mvpd":"Cable","isEnabled":"false"}"#),
            ("integration", #"{"requestor":"ExampleNews","mvpd":"Kable","isEnabled":false}"#),
            ("domains", #"{"requestor":"ExampleNews"}"#), ("domains", #"{"requestor":"ExampleNews","domains":"a"}"#),
            ("degradation", #"{"mvpd":"Cable","rule":7}"#),
        ]
    )
    func values(_ knob: String, _ body: String) async throws {
        let server = try PassServerFixture()
        let headers: HTTPHeaders = ["Content-Type": "application/json"]
        #expect(try await server.send(.post, "/control/\(knob)", headers, body).status == 400)
        #expect(try await server.send(.get, "/standin/key").status == 200)
        // Nothing was turned off.
        let device = try await server.device()
        try await device.signIn()
    }

    @Test("A member that is null counts as missing")
    func null() async throws {
        let server = try PassServerFixture()
        try await server.turn("lifetimes", #"{"profile":null,"mediaToken":60}"#)
        try await server.turn("degradation", #"{"mvpd":"Cable","rule":null}"#)
    }

    @Test("Events are recorded in order and contain no token, code or password")
    func events() async throws {
        let server = try PassServerFixture()
        let device = try await server.device()
        try await device.signIn()
        _ = try await device.decide("authorize", ["news-live"])
        let events = try await server.events()
        #expect(
            events.compactMap { $0["event"]?.string }.filter { $0 != "answered" } == [
                "session", "signed-in", "authorize",
            ]
        )
        let text = try await server.send(.get, "/control/events").text
        for secret in [device.token, device.id, device.secret, ServerState.password, "viewer"] {
            #expect(!text.contains(secret))
        }
        #expect(try await server.send(.get, "/control/events?after=1000").text == "[]")
    }

    @Test("A web page's form can register no app and use up no media token")
    func forms() async throws {
        let server = try PassServerFixture()
        let order = try await server.post("/control/issue-statement", json: .object(["application": .string("app")]))
        let statement = try #require(order.json?["statement"]?.string)
        let body = #"{"software_statement": "\#(statement)"}"#
        for type in ["text/plain", "application/x-www-form-urlencoded", "application/jsonp"] {
            let sent = try await server.send(.post, "/o/client/register", ["Content-Type": type], body)
            #expect(sent.status == 400, "\(type)")
            let verified = try await server.send(.post, "/standin/verify", ["Content-Type": type], #"{"token": "t"}"#)
            #expect(verified.text.contains("Post JSON"))
        }
        let type: HTTPHeaders = ["Content-Type": "application/json; charset=utf-8"]
        #expect(try await server.send(.post, "/o/client/register", type, body).status == 201)
    }

    @Test("A web page can turn no switch, and unknown addresses are reported")
    func manners() async throws {
        let server = try PassServerFixture()
        // A browser lets a page send this to another server without a preflight request.
        let sent = try await server.send(.post, "/control/clock", ["Content-Type": "text/plain"], #"{"offset":1}"#)
        #expect(sent.status == 400)
        #expect(try await server.send(.get, "/elsewhere").status == 404)
        #expect(try await server.send(.post, "/standin/key").status == 405)
        let first = try await server.send(.get, "/")
        #expect(first.text.contains("stand-in") && first.text.contains("Aurora Cable"))
        #expect(first.headers["Content-Security-Policy"]?.contains("default-src 'none'") == true)
        #expect(try await server.send(.get, "/mvpd/Cable/logo.svg").headers["Content-Type"] == "image/svg+xml")
    }
}
