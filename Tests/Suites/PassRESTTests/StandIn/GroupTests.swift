import Foundation
import SharedAuth
import TestSupport
import Testing

@testable import PassAuth
@testable import PassREST

/// Apps of a team, each with its own client at the server.
@Suite(.timeLimit(.minutes(2)))
struct GroupTests {
    private let standIn: InProcessPass

    init() throws { standIn = try InProcessPass() }

    @Test(
        "With a service token, one app's sign-in and log-out apply to every app"
    )
    func serviceToken() async throws {
        let person = standIn.serviceToken(of: "ada")
        let (news, sport) = (
            try standIn.app { $0.serviceToken = person }, try standIn.app("Sport") { $0.serviceToken = person }
        )
        try await news.start()
        try await sport.start("ExampleSport")
        try await news.signIn(at: standIn)
        #expect(await sport.words(until: "authentication") == ["authentication(1)"])
        let token = try MediaToken(base64: try await sport.enabler.checkAuthorization("match"))
        #expect(token.requestor == "ExampleSport")
        let later = try standIn.app("Kids") { $0.serviceToken = person }
        try await later.start("ExampleSport")
        #expect(await later.enabler.checkAuthentication() == .authenticated)
        #expect(try await !later.enabler.getAuthorization("match").isEmpty)
        #expect(try await standIn.count("sessions") == 1)
        _ = await sport.hear(until: "token")
        sport.call { $0.logout() }
        _ = await sport.hear(until: "navigation")
        #expect(await news.words(until: "authentication(0").count == 1)
        #expect(await later.enabler.checkAuthentication().isAuthenticated == false)
        // The sign-in has ended at the server too: the next one shows the page again.
        _ = try await news.page()
    }

    @Test("Without a service token each app has its own sign-in")
    func noServiceToken() async throws {
        let (news, sport) = (try standIn.app(), try standIn.app("Sport"))
        try await news.start()
        try await sport.start()
        try await news.signIn(at: standIn)
        #expect(await sport.enabler.checkAuthentication().isAuthenticated == false)
        // It received only the response to its own call.
        #expect(
            await sport.words(until: "authentication") == [
                "status(N000)", "authentication(0, User Not Authenticated Error)",
            ]
        )
        #expect(try await standIn.count("authorize") == 0)
        try await sport.signIn("NoLogOut", at: standIn)
        _ = try await sport.enabler.checkAuthorization("news-live")
        // The other app stays signed in with its own TV provider.
        #expect(await news.enabler.checkAuthentication() == .authenticated)
        _ = try await news.enabler.checkAuthorization("kids-live")
        #expect(await news.enabler.getSelectedProvider()?.id == "Cable")
        #expect(await news.words(until: "authentication") == ["authentication(1)"])
        #expect(try news.enabler.tokens.contents().tokens.count == 2)
        // After a restart each app is signed in as before.
        let again = try standIn.app()
        try await again.start()
        #expect(await again.enabler.checkAuthentication() == .authenticated)
        let third = try standIn.app("Kids")
        try await third.start()
        #expect(await third.enabler.checkAuthentication().isAuthenticated == false)
        sport.call { $0.logout() }
        #expect(await news.words(until: "authentication(0").last == "authentication(0, User Not Authenticated Error)")
    }

    @Test("A passive TV provider signs in another programmer without a prompt")
    func passive() async throws {
        let (news, sport) = (try standIn.app(), try standIn.app("Sport"))
        try await news.start()
        try await news.signIn("Passive", at: standIn)
        try await sport.enabler.setRequestor("ExampleSport")
        #expect(await sport.words(until: "requestorComplete") == ["status(N001)", "requestorComplete(1)"])
        #expect(await sport.enabler.checkAuthentication() == .authenticated)
        _ = try await sport.enabler.checkAuthorization("match")
        #expect(try await standIn.events("passive").count == 1)
    }

    @Test(
        "If two apps sign in at the same time, the first signs both in, with one token",
        arguments: [("Sport", "ExampleNews"), ("Sport", "ExampleSport"), ("News", "ExampleNews")]
    )
    func twoAtOnce(_ name: String, _ requestor: String) async throws {
        // Two processes of one app have the same client, and need no service token.
        let person = name == "News" ? nil : standIn.serviceToken(of: "ada")
        let (news, sport) = (
            try standIn.app { $0.serviceToken = person }, try standIn.app(name) { $0.serviceToken = person }
        )
        var pages: [String] = []
        for (app, requestor) in [(news, "ExampleNews"), (sport, requestor)] {
            try await app.start(requestor)
            pages.append(try await app.page())
        }
        news.enabler.handleExternalURL(try await standIn.signIn(at: pages[0]))
        #expect(await news.words(until: "authentication") == ["authentication(1)"])
        #expect(await sport.words(until: "authentication") == ["authentication(1)"])
        sport.enabler.handleExternalURL(try await standIn.signIn(at: pages[1]))
        #expect(await sport.enabler.checkAuthentication() == .authenticated)
        // The second page ends without further effect.
        #expect(try await standIn.count("profile-of-code") == 1)
        _ = try await sport.enabler.checkAuthorization("news-live")
        #expect(try news.enabler.tokens.contents().tokens.count == 1)
    }

    @Test("On another device the server refuses the sign-in, and its tokens are deleted")
    func otherDevice() async throws {
        let app = try standIn.app(policy: .off)
        try await app.start()
        try await app.signIn(at: standIn)
        // The same app, restarted as another device, with a store that does not compare devices.
        let moved = try standIn.app(device: "other", policy: .off)
        try await moved.start()
        #expect(await moved.enabler.checkAuthentication() == .authenticated)
        _ = await moved.hear(until: "authentication(1)")
        moved.call { $0.checkAuthorization("news-live") }
        #expect(
            await moved.words(until: "tokenRequestFailed") == [
                "status(SEC412)", "authentication(0, User Not Authenticated Error)",
                "tokenRequestFailed(User Not Authenticated Error)",
            ]
        )
        #expect(await moved.enabler.checkAuthentication().isAuthenticated == false)
        #expect(try moved.enabler.tokens.contents().tokens.isEmpty)
    }
}
