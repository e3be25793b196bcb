import LoopbackServer
import PassAuth
import SharedAuth
import SharedAuthHTTP
import TestSupport
import Testing

@testable import PassServer

@Suite("Under fire: the flows at a server that fails them", .timeLimit(.minutes(3)))
struct UnderFireTests {
    let server: StandIn
    let team: Team

    init() throws {
        server = try StandIn()
        team = Team(server: server)
    }

    private func spoil(_ endpoint: String, _ fault: String, times: Double = 1) async throws {
        try await server.turn(
            "fault",
            ["endpoint": .string(endpoint), "fault": .string(fault), "times": .number(times)]
        )
    }

    @Test("Redirects that are foreign or have a wrong state change nothing; the right one counts once")
    func redirects() async throws {
        let app = try team.app()
        let address = try await server.fillIn(try await app.begin())
        let state = try #require(address.split(separator: "state=").last)
        for foreign in [
            "adobepass://ios.app", "adobepass://ios.app?state=other", "https://elsewhere.example?state=\(state)",
        ] {
            app.enabler.handleExternalURL(foreign)
        }
        for _ in 1...2 { app.enabler.handleExternalURL(address) }
        #expect(await app.hear(until: "authentication") == ["authentication(1)"])
        #expect(await app.enabler.checkAuthentication() == .authenticated)
        // Only that answer came, and none of another sign-in.
        #expect(await app.hear(until: "authentication") == ["authentication(1)"])
        #expect(try await asked("profile-of-code") == 1)
    }

    private func asked(_ endpoint: String) async throws -> Int {
        try await server.events().count { $0["endpoint"]?.string == endpoint }
    }

    @Test("A redirect that comes after a cancel, or after the code has expired, signs nobody in")
    func late() async throws {
        let app = try team.app()
        let address = try await server.fillIn(try await app.begin())
        app.enabler.setSelectedProvider(nil)
        #expect(await app.hear(until: "authentication").last == "authentication(0, Provider not Selected Error)")
        app.enabler.handleExternalURL(address)
        #expect(await app.enabler.checkAuthentication().isAuthenticated == false)
        #expect(try app.enabler.tokens.contents().tokens.isEmpty)

        let other = try Team(server: server).app()
        let second = try await server.fillIn(try await other.begin("NoLogOut"))
        server.clock.pass(1800)
        other.enabler.handleExternalURL(second)
        let heard = await other.hear(until: "authentication")
        #expect(heard.last == "authentication(0, Generic Authentication Error)" && heard.count == 2)
    }

    @Test("A server that dies between page and token fails the sign-in once; a token that was there stays")
    func killed() async throws {
        let app = try team.app()
        try await app.signIn()
        app.enabler.setSelectedProvider("NoLogOut")
        app.call { $0.getAuthentication(true) }
        let address = try await server.fillIn(try await app.page())
        server.server.stop()
        app.enabler.handleExternalURL(address)
        #expect(
            await app.hear(until: "authentication") == [
                "status(N500)", "authentication(0, Generic Authentication Error)",
            ]
        )
        #expect(try app.enabler.tokens.contents().tokens.map(\.token.mvpd) == ["Cable"])
        #expect(await app.enabler.checkAuthentication() == .authenticated)
    }

    @Test(
        "What a bad answer to the configuration is reported as, and the next attempt goes well",
        arguments: [
            ("garbage", "status(CFG500)"), ("failure", "status(CFG500)"), ("throttling", "status(CFG429)"),
            ("cut-off", "status(CFG404)"),
        ]
    )
    func configuration(_ fault: String, _ report: String) async throws {
        let app = try team.app()
        try await spoil("configuration", fault)
        await #expect(throws: EntitlementError.self) { try await app.enabler.setRequestor("ExampleNews") }
        #expect(await app.hear(until: "requestorComplete") == [report, "requestorComplete(0)"])
        try await app.enabler.setRequestor("ExampleNews")
        #expect(await app.hear(until: "requestorComplete") == ["requestorComplete(1)"])
    }

    @Test("An answer that never comes ends the call after its limit, and the session stays")
    func silence() async throws {
        let app = try team.app(timeout: .seconds(3))
        try await app.signIn()
        try await spoil("authorize", "silence")
        app.call { $0.checkAuthorization("news-live") }
        #expect(
            await app.hear(until: "token") == ["status(Z120)", "tokenRequestFailed(Generic Authorization Error)"]
        )
        #expect(await app.enabler.checkAuthentication() == .authenticated)
        #expect(try await !app.enabler.checkAuthorization("news-live").isEmpty)
    }

    @Test("A statement that is foreign, expired or revoked is R400; nothing that was stored is lost")
    func statements() async throws {
        let first = try team.app()
        try await first.signIn()
        try await server.turn("revoke-statement", ["statement": .string(StandIn.statement)])
        await #expect(throws: EntitlementError.self) { try await first.enabler.setRequestor("ExampleNews") }
        _ = await first.hear(until: "status(R400)")
        #expect(await first.hear(until: "requestorComplete").last == "requestorComplete(0)")
        #expect(try first.enabler.tokens.contents().tokens.count == 1)
        let other = try team.app("Other", statement: "nonsense")
        await #expect(throws: EntitlementError.self) { try await other.enabler.setRequestor("ExampleNews") }
        #expect(await other.hear(until: "requestorComplete") == ["status(R400)", "requestorComplete(0)"])
    }

    @Test("An access token that the server forgets is renewed, and a client registered again, once, unnoticed")
    func renewal() async throws {
        let app = try team.app()
        try await app.signIn()
        try await server.turn("forget", ["what": .string("access-tokens")])
        #expect(try await !app.enabler.checkAuthorization("news-live").isEmpty)
        #expect(try await asked("register") == 1)
        try await server.turn("forget", ["what": .string("clients")])
        #expect(try await !app.enabler.checkAuthorization("news-live").isEmpty)
        #expect(try await asked("register") == 2)
    }

    @Test("Two apps of a team on their pages at once: the first that is done signs both in, and there is one token")
    func atOnce() async throws {
        let (news, sport) = (try team.app(), try team.app("Sport", requestor: "ExampleSport"))
        let pages = (try await news.begin(), try await sport.begin())
        news.enabler.handleExternalURL(try await server.fillIn(pages.0))
        #expect(await news.hear(until: "authentication").last == "authentication(1)")
        #expect(await sport.hear(until: "authentication").last == "authentication(1)")
        sport.enabler.handleExternalURL(try await server.fillIn(pages.1))
        #expect(await sport.enabler.checkAuthentication() == .authenticated)
        #expect(try news.enabler.tokens.contents().tokens.count == 1)
    }

    @Test("A clock that is an hour off is reported, and the person can watch all the same", arguments: [3600.0, -3600])
    func clock(_ offset: Double) async throws {
        let app = try team.app()
        try await server.turn("clock", ["offset": .number(offset)])
        try await app.enabler.setRequestor("ExampleNews")
        #expect(await app.hear(until: "requestorComplete").contains("status(CFG100)"))
        try await app.signIn()
        #expect(try await !app.enabler.checkAuthorization("news-live").isEmpty)
    }
}
