import LoopbackServer
import PassAuth
import SharedAuth
import SharedAuthHTTP
import TestSupport
import Testing

@testable import PassServer

@Suite("F41: an AccessEnabler at the stand-in, by REST v2", .timeLimit(.minutes(3)))
struct StoryTests {
    let server: StandIn
    let team: Team

    init() throws {
        server = try StandIn()
        team = Team(server: server)
    }

    @Test("Sign-in on a page, authorization, media tokens that are new each time, log-out on a page")
    func wholeStory() async throws {
        let app = try team.app()
        try await app.signIn()
        let first = try await app.enabler.checkAuthorization("news-live")
        let second = try await app.enabler.checkAuthorization("news-live")
        #expect(first != second)
        let order: [String: JSONValue] = [
            "token": .string(first), "requestor": .string("ExampleNews"), "resource": .string("news-live"),
        ]
        let verified = try await server.post(json: .object(order), "/standin/verify").json
        #expect(verified?["status"]?.string == "VALID_TOKEN" && verified?["accepted"]?.bool == true)
        #expect(await app.enabler.getMetadata(.user("language")).value == .text("en"))
        #expect(try await app.enabler.checkPreauthorizedResources(["a", "b"]) == ["a", "b"])
        app.call { $0.logout() }
        let page = try await app.page()
        let shown = try await server.send(.get, page)
        #expect(shown.text.contains("Back to the app"))
        app.enabler.handleExternalURL("adobepass://ios.app")
        #expect(await app.hear(until: "loggedOut").last == "loggedOut")
        #expect(try app.enabler.tokens.contents().tokens.isEmpty)
        #expect(try await server.events().contains { $0["event"]?.string == "logout" })
    }

    @Test("F10: on a second screen the code comes at once, and the sign-in ends by itself")
    func secondScreen() async throws {
        let app = try team.app(screen: .second)
        try await app.enabler.setRequestor("ExampleNews")
        app.call { $0.getAuthentication() }
        _ = await app.hear(until: "providerDialog")
        app.enabler.setSelectedProvider("Cable")
        let code = try await app.code()
        let chosen = try await server.post("/activate", ["code": code])
        #expect(try await server.fillIn(try #require(chosen.headers["Location"])) == "/activated")
        #expect(await app.hear(until: "authentication").last == "authentication(1)")
    }

    @Test("F29: signed in once, another app of the team plays without asking; logged out in one, both are")
    func team() async throws {
        let (news, sport) = (try team.app(), try team.app("Sport", requestor: "ExampleSport"))
        try await news.signIn()
        try await sport.enabler.setRequestor("ExampleSport")
        #expect(await sport.enabler.checkAuthentication() == .authenticated)
        #expect(try await !sport.enabler.getAuthorization("match").isEmpty)
        try sport.enabler.tokens.logOut()
        #expect(await news.enabler.checkAuthentication().isAuthenticated == false)
    }

    @Test("F14, F37: what a TV provider refuses comes in its own words, and why degradation decides is reported")
    func refusals() async throws {
        for (mvpd, expected) in [
            ("Refusing", ["status(Z100)", "tokenRequestFailed(User not Authorized Error)"]),
            ("AuthZNone", ["status(Z169)", "tokenRequestFailed(User not Authorized Error)"]),
            ("AuthZAll", ["status(Z010)", "token"]),
        ] {
            let app = try Team(server: server).app()
            try await app.signIn(mvpd)
            app.call { $0.checkAuthorization("news-live") }
            #expect(await app.hear(until: "token") == expected)
            guard mvpd == "Refusing" else { continue }
            let error = await #expect(throws: EntitlementError.self) {
                try await app.enabler.checkAuthorization("news-live")
            }
            #expect(error?.details.contains("larger one") == true)
        }
    }

    @Test("F15: more resources than the TV provider answers for are a failure that is named")
    func tooMany() async throws {
        let app = try team.app()
        try await app.signIn("ForkJoin")
        let six = (1...6).map { "channel-\($0)" }
        await #expect(throws: EntitlementError.self) { try await app.enabler.checkPreauthorizedResources(six) }
        #expect(await app.hear(until: "preauthorized").contains("status(P100)"))
    }

    @Test("F36: a temporary pass signs in without a page, says so, and is over in its time")
    func temporaryPass() async throws {
        let app = try team.app()
        try await app.enabler.setRequestor("ExampleNews")
        app.enabler.setSelectedProvider("DayPass")
        #expect(await app.hear(until: "authentication(1").contains("status(N011)"))
        #expect(try await !app.enabler.checkAuthorization("anything").isEmpty)
        server.clock.pass(600)
        await #expect(throws: EntitlementError.self) { try await app.enabler.checkAuthorization("anything") }
        let promo = try Team(server: server).app()
        try await promo.enabler.setRequestor("ExampleNews")
        promo.call { $0.getAuthentication(withData: ["email": "digest"]) }
        _ = await promo.hear(until: "providerDialog")
        promo.enabler.setSelectedProvider("PromoPass")
        #expect(await promo.hear(until: "authentication").last == "authentication(1)")
    }

    @Test("F37: a TV provider that is out of order lets everyone in, and it is reported")
    func degraded() async throws {
        let app = try team.app()
        try await app.enabler.setRequestor("ExampleNews")
        app.call { $0.getAuthentication() }
        _ = await app.hear(until: "providerDialog")
        app.enabler.setSelectedProvider("AuthNAll")
        #expect(await app.hear(until: "authentication") == ["status(N010)", "authentication(1)"])
    }

    @Test("F6: of two servers the faster one counts for each TV provider, and calls go there")
    func servers() async throws {
        let other = try StandIn()
        try await server.turn("latency", ["endpoint": .string("configuration"), "seconds": .number(1)])
        try await other.turn("integration", ["requestor": .string("ExampleNews"), "mvpd": .string("NoLogOut")])
        for (mvpd, expected) in [("Cable", other), ("NoLogOut", server)] {
            let app = try Team(server: server).app(namesPerson: false)
            try await app.enabler.setRequestor(
                "ExampleNews",
                serviceProviders: [server.server.address, other.server.address]
            )
            app.call { $0.getAuthentication() }
            _ = await app.hear(until: "providerDialog")
            app.enabler.setSelectedProvider(mvpd)
            #expect(try await app.page().hasPrefix(expected.server.address))
        }
    }
}
