import Foundation
import LoopbackServer
import SharedAuth
import SharedAuthHTTP
import TestSupport
import Testing

@testable import PassAuth
@testable import PassREST
@testable import PassStandInServer

/// An AccessEnabler that uses the stand-in server over HTTP: from the picker to the media token, and the log-out.
@Suite(.timeLimit(.minutes(2)))
struct StoryTests {
    private let standIn: InProcessPass

    init() throws { standIn = try InProcessPass() }

    @Test("A user signs in, watches and logs out over REST v2")
    func story() async throws {
        let app = try standIn.app()
        try await app.start()
        app.call { $0.getAuthentication() }
        guard case .providerDialog(let mvpds) = await app.hear(until: "providerDialog").last else { throw Unexpected() }
        #expect(mvpds.map(\.id) == Provider.all.map(\.id) && mvpds.first?.displayName == "Aurora Cable")
        app.enabler.setSelectedProvider("Cable")
        guard case .navigation(let page, false) = await app.hear(until: "navigation").last else { throw Unexpected() }
        let end = try await standIn.fillIn(page)
        #expect(end.hasPrefix("adobepass://ios.app?state="))
        app.enabler.handleExternalURL(end)
        #expect(await app.words(until: "authentication") == ["authentication(1)"])

        let token = try MediaToken(base64: try await app.enabler.checkAuthorization("news-live"))
        #expect(token.resource == "news-live" && token.mvpd == "Cable" && token.requestor == "ExampleNews")
        let key = try await standIn.send(.get, "/standin/key").text
        let verifier = MediaTokenVerifier(publicKey: try TokenPublicKey(pem: key), requestor: "ExampleNews")
        #expect(verifier.verify(token.serialized, resource: "news-live").isValid)
        let order: [String: JSONValue] = [
            "token": .string(token.serialized), "requestor": .string("ExampleNews"), "resource": .string("news-live"),
        ]
        let verified = JSONValue(bytes: try await standIn.post("/standin/verify", json: .object(order)).body)
        #expect(verified?["status"]?.string == "VALID_TOKEN" && verified?["accepted"]?.bool == true)
        // The authorization is cached; its media token is new.
        let second = try MediaToken(base64: try await app.enabler.checkAuthorization("news-live"))
        #expect(second.sessionGUID == token.sessionGUID && second.serialized != token.serialized)
        #expect(try await app.enabler.checkPreauthorizedResources(["b", "news-live"]) == ["b", "news-live"])
        #expect(await app.enabler.getMetadata(.user("language")).value == .string("en"))
        #expect(await app.enabler.getSelectedProvider()?.id == "Cable")

        app.call { $0.logout() }
        guard case .navigation(let out, false) = await app.hear(until: "navigation").last else { throw Unexpected() }
        #expect(try app.enabler.tokens.contents().tokens.isEmpty)
        #expect(try await standIn.send(.get, out).text.contains("Back to the app"))
        app.enabler.handleExternalURL("adobepass://ios.app")
        #expect(
            await app.words(until: "loggedOut") == ["authentication(0, User Not Authenticated Error)", "loggedOut"]
        )
        #expect(try await standIn.events("logout").first?["wasSignedIn"]?.string == "true")
    }

    @Test("A code on a second screen signs in by itself; the log-out shows no page")
    func secondScreen() async throws {
        let app = try standIn.app(screen: .second)
        try await app.start()
        app.enabler.setSelectedProvider("Cable")
        app.call { $0.getAuthentication() }
        guard case .status(let report) = await app.hear(until: "status(REGCODE)").last else { throw Unexpected() }
        let code = try #require(report.registrationCode)
        #expect(try await standIn.fillIn(try await standIn.type(code)) == "/activated")
        app.timers.pass(.seconds(5))
        #expect(await app.words(until: "authentication") == ["authentication(1)"])
        #expect(await app.enabler.logout() == .failed("User Not Authenticated Error"))
        #expect(
            await app.words(until: "loggedOut") == ["authentication(0, User Not Authenticated Error)", "loggedOut"]
        )
        #expect(try await standIn.events("logout").first?["wasSignedIn"]?.string == "true")
    }

    @Test("The stand-in's TV providers behave as scripted, and the app is notified")
    func providers() async throws {
        let app = try standIn.app(group: nil)
        try await app.start()
        try await app.signIn("Refusing", at: standIn)
        app.call { $0.checkAuthorization("news-live") }
        let refused = await app.hear(until: "tokenRequestFailed")
        guard case .tokenRequestFailed(let error, "news-live") = refused.last else { throw Unexpected() }
        #expect(refused.first.map { "\($0)" } == "status(Z100)" && error.code == "User not Authorized Error")
        #expect(error.details.contains("Ask Elm Economy for a larger one."))
        let thrown = await #expect(throws: EntitlementError.self) {
            try await app.enabler.checkAuthorization("news-live")
        }
        #expect(thrown?.details == error.details)
        app.enabler.tokens.forget()
        _ = await app.hear(until: "authentication(0")

        try await app.signIn("LineUp", at: standIn)
        #expect(try await app.enabler.checkPreauthorizedResources(["news-live", "movies"]) == ["news-live"])
        let question = PreauthorizeRequest.Builder().setResources(["movies", "kids-live"]).build()
        let answer = await app.enabler.preauthorize(question)
        #expect(answer.status == nil && answer.decisions.map(\.authorized) == [false, true])
        #expect(answer.decisions.first?.error?.code == "preauthorization_denied_by_mvpd")
    }

    @Test("Too many resources are reported as P100 with the server's message")
    func tooManyResources() async throws {
        let app = try standIn.app()
        try await app.start()
        try await app.signIn("ForkJoin", at: standIn)
        app.call { $0.checkPreauthorizedResources(["1", "2", "3", "4", "5", "6"]) }
        #expect(await app.words(until: "preauthorized") == ["status(P100)", "preauthorized(none)"])
        await #expect(throws: EntitlementError.self) {
            try await app.enabler.checkPreauthorizedResources(["1", "2", "3", "4", "5", "6"])
        }
        try await standIn.turn("forget", #"{"what": "profiles"}"#)
        let question = PreauthorizeRequest.Builder().setResources(["1"]).build()
        let status = await app.enabler.preauthorize(question).status
        #expect(status?.status == 403 && status?.code == "authenticated_profile_missing")
        #expect(status?.action == "authentication")
    }

    @Test("A temporary pass needs no user, is reported as such, and expires")
    func temporaryPass() async throws {
        let app = try standIn.app()
        try await app.start()
        app.enabler.setSelectedProvider("DayPass")
        #expect(await app.words(until: "authentication") == ["status(N011)", "authentication(1)"])
        app.call { $0.checkAuthorization("anything") }
        #expect(await app.words(until: "token") == ["status(Z011)", "token"])
        standIn.clock.advance(by: 601)
        app.call { $0.checkAuthentication() }
        #expect(
            await app.words(until: "authentication")
                == ["status(N111)", "authentication(0, User Not Authenticated Error)"]
        )
        app.call { $0.getAuthentication() }
        #expect(
            await app.words(until: "authentication") == [
                "status(N111)", "authentication(0, Generic Authentication Error)",
            ]
        )
    }

    @Test("A temporary pass ends when the server says so, whatever the app's clock shows")
    func temporaryPassOfTheServer() async throws {
        let app = try standIn.app()
        try await app.start()
        app.enabler.setSelectedProvider("DayPass")
        _ = await app.hear(until: "authentication(1)")
        #expect(try await !app.enabler.checkAuthorization("anything").isEmpty)
        try await standIn.turn("clock", #"{"offset": 600}"#)
        await #expect(throws: EntitlementError.self) { try await app.enabler.checkAuthorization("anything") }
    }

    @Test("A promotional pass needs the user's identity and counts watched resources")
    func promotion() async throws {
        let app = try standIn.app { $0.temporaryPassIdentity = ["email": "digest"] }
        try await app.start()
        app.enabler.setSelectedProvider("PromoPass")
        _ = await app.hear(until: "authentication(1)")
        for resource in ["a", "b"] { _ = try await app.enabler.checkAuthorization(resource) }
        _ = await app.hear(until: "token")
        _ = await app.hear(until: "token")
        app.call { $0.checkAuthorization("c") }
        #expect(await app.words(until: "tokenRequestFailed").first == "status(N111)")
        let named = try standIn.app("Kids", group: nil, device: "third")
        try await named.start()
        named.call { $0.getAuthentication(withData: ["email": "another digest"]) }
        _ = await named.hear(until: "providerDialog")
        named.enabler.setSelectedProvider("PromoPass")
        #expect(await named.words(until: "authentication").last == "authentication(1)")
        let stranger = try standIn.app("Sport", group: nil, device: "other")
        try await stranger.start()
        stranger.enabler.setSelectedProvider("PromoPass")
        #expect(
            await stranger.words(until: "authentication")
                == ["status(N500)", "authentication(0, Generic Authentication Error)"]
        )
    }

    @Test("Degraded TV providers sign in, permit and refuse, each with its report")
    func degradation() async throws {
        let app = try standIn.app(group: nil)
        try await app.start()
        app.enabler.setSelectedProvider("AuthNAll")
        app.call { $0.getAuthentication() }
        #expect(await app.words(until: "authentication") == ["status(N010)", "authentication(1)"])
        app.call { $0.checkAuthorization("a") }
        #expect(await app.words(until: "token") == ["status(Z010)", "token"])
        app.enabler.tokens.forget()
        _ = await app.hear(until: "authentication(0")
        try await app.signIn("AuthZAll", at: standIn)
        app.call { $0.checkAuthorization("a") }
        #expect(await app.words(until: "token") == ["status(Z010)", "token"])
        app.enabler.tokens.forget()
        _ = await app.hear(until: "authentication(0")
        try await app.signIn("AuthZNone", at: standIn)
        app.call { $0.checkAuthorization("a") }
        #expect(
            await app.words(until: "tokenRequestFailed")
                == ["status(Z169)", "tokenRequestFailed(User not Authorized Error)"]
        )
    }

    @Test("A secure browser is used if the server demands it, with the app's own scheme")
    func secureBrowser() async throws {
        let app = try standIn.app()
        try app.enabler.setOptions(["handleSVC": "true"])
        try await app.start()
        app.enabler.setSelectedProvider("SecureBrowser")
        app.call { $0.getAuthentication() }
        guard case .navigation(let page, true) = await app.hear(until: "navigation").last else { throw Unexpected() }
        let end = try await standIn.signIn(at: page)
        #expect(end.hasPrefix("adbe.x://adobe.com?state="))
        app.enabler.handleExternalURL(end)
        #expect(await app.words(until: "authentication") == ["authentication(1)"])
    }
}

/// Several servers used by one app.
@Suite(.timeLimit(.minutes(2)))
struct ServersTests {
    @Test(
        "With two servers the faster counts for each TV provider, and calls go there",
        arguments: [("Cable", true), ("NoLogOut", false)]
    )
    func servers(_ mvpd: String, _ isOfFaster: Bool) async throws {
        let faster = try InProcessPass()
        let slower = try InProcessPass { request in
            guard request.path.hasSuffix("/configuration") else { return }
            await faster.answered("/configuration")
        }
        try await slower.turn("latency", #"{"endpoint": "configuration", "seconds": 1}"#)
        try await faster.turn("integration", #"{"requestor": "ExampleNews", "mvpd": "NoLogOut", "isEnabled": false}"#)
        let app = try slower.app()
        try await app.enabler.setRequestor("ExampleNews", serviceProviders: [slower.address, faster.address])
        #expect(try await app.page(mvpd).hasPrefix(isOfFaster ? faster.address : slower.address))
    }
}

extension InProcessPass {
    /// Waits until the server has responded to a request for a path with this suffix.
    fileprivate func answered(_ end: String) async {
        let asked = await server.events.first { event in
            if case .request(_, _, let path) = event { path.hasSuffix(end) } else { false }
        }
        guard case .request(let number, _, _) = asked else { return }
        _ = await server.events.first { event in
            if case .answer(number, _) = event { true } else { false }
        }
    }
}

extension PassTokenStore {
    /// Logs out locally, and not at the server.
    fileprivate func forget() { try? logOut() }
}
