import Foundation
import LoopbackServer
import SharedAuth
import SharedAuthHTTP
import TestSupport
import Testing

@testable import PassAuth
@testable import PassREST

/// An AccessEnabler, over HTTP, with the stand-in server: from the picker to the media token, and out again.
@Suite(.timeLimit(.minutes(2)))
struct StoryTests {
    private let standIn: StandIn

    init() throws { standIn = try StandIn() }

    @Test("F41, F42: a person signs in, watches, and logs out, over REST v2")
    func story() async throws {
        let app = try standIn.app()
        try await app.start()
        app.call { $0.getAuthentication() }
        guard case .providerDialog(let mvpds) = await app.hear(until: "providerDialog").last else { throw Unexpected() }
        #expect(mvpds.count == 13 && mvpds.first?.displayName == "Aurora Cable")
        app.enabler.setSelectedProvider("Cable")
        guard case .navigation(let page, false) = await app.hear(until: "navigation").last else { throw Unexpected() }
        let end = try await standIn.signIn(at: page)
        #expect(end.hasPrefix("adobepass://ios.app?state="))
        app.enabler.handleExternalURL("adobepass://ios.app?state=other")
        app.enabler.handleExternalURL(end)
        #expect(await app.words(until: "authentication") == ["authentication(1)"])

        let token = try MediaToken(base64: try await app.enabler.checkAuthorization("news-live"))
        #expect(token.resource == "news-live" && token.mvpd == "Cable" && token.requestor == "ExampleNews")
        let key = try await StandIn.send(.get, "\(standIn.server.address)/standin/key").text
        let verifier = MediaTokenVerifier(publicKey: try TokenPublicKey(pem: key), requestor: "ExampleNews")
        #expect(verifier.verify(token.serialized, resource: "news-live").isValid)
        // The authorization is kept; its media token is another one.
        let second = try MediaToken(base64: try await app.enabler.checkAuthorization("news-live"))
        #expect(second.sessionGUID == token.sessionGUID)
        #expect(try await app.enabler.checkPreauthorizedResources(["b", "news-live"]) == ["b", "news-live"])
        #expect(await app.enabler.getMetadata(.user("language")).value == .text("en"))
        #expect(await app.enabler.getSelectedProvider()?.id == "Cable")

        app.call { $0.logout() }
        guard case .navigation(let out, false) = await app.hear(until: "navigation").last else { throw Unexpected() }
        #expect(try app.enabler.tokens.contents().tokens.isEmpty)
        let left = try await StandIn.send(.get, out)
        #expect(left.status == 200 || left.status == 302)
        app.enabler.handleExternalURL("adobepass://ios.app")
        #expect(await app.words(until: "authentication") == ["authentication(0, User Not Authenticated Error)"])
        #expect(try await standIn.events("logout").first?["wasSignedIn"]?.string == "true")
    }

    @Test("F10: on a second screen the person types a code, and the app goes on by itself; the log-out shows no page")
    func secondScreen() async throws {
        let app = try standIn.app(screen: .second)
        try await app.start()
        app.enabler.setSelectedProvider("Cable")
        app.call { $0.getAuthentication() }
        guard case .status(let report) = await app.hear(until: "status(REGCODE)").last else { throw Unexpected() }
        let code = try #require(report.registrationCode)
        let address = standIn.server.address
        _ = try await standIn.signIn(at: "\(address)/api/v2/authenticate/ExampleNews/\(code)")
        app.timers.pass(.seconds(5))
        #expect(await app.words(until: "authentication") == ["authentication(1)"])
        #expect(await app.enabler.logout() == .failed("User Not Authenticated Error"))
        #expect(
            await app.words(until: "loggedOut") == ["authentication(0, User Not Authenticated Error)", "loggedOut"]
        )
        #expect(try await standIn.events("logout").first?["wasSignedIn"]?.string == "true")
    }

    @Test("F42: the TV providers of the stand-in do what they are for, and the app hears it")
    func providers() async throws {
        let app = try standIn.app(group: nil)
        try await app.start()
        try await app.signIn("Refusing", at: standIn)
        app.call { $0.checkAuthorization("news-live") }
        let refused = await app.hear(until: "tokenRequestFailed")
        guard case .tokenRequestFailed(let error, "news-live") = refused.last else { throw Unexpected() }
        #expect(refused.first.map { "\($0)" } == "status(Z100)" && error.code == "User not Authorized Error")
        #expect(error.details.contains("Elm Economy"))
        app.enabler.tokens.forget()
        _ = await app.hear(until: "authentication(0")

        try await app.signIn("LineUp", at: standIn)
        #expect(try await app.enabler.checkPreauthorizedResources(["news-live", "movies"]) == ["news-live"])
        let question = PreauthorizeRequest.Builder().setResources(["movies", "kids-live"]).build()
        let answer = await app.enabler.preauthorize(question)
        #expect(answer.status == nil && answer.decisions.map(\.authorized) == [false, true])
        #expect(answer.decisions.first?.error?.code == "preauthorization_denied_by_mvpd")
    }

    @Test("F15: more resources than the TV provider answers for are P100, and the server's own words are handed on")
    func tooManyResources() async throws {
        let app = try standIn.app()
        try await app.start()
        try await app.signIn("ForkJoin", at: standIn)
        app.call { $0.checkPreauthorizedResources(["1", "2", "3", "4", "5", "6"]) }
        #expect(await app.words(until: "preauthorized") == ["status(P100)", "preauthorized(none)"])
        try await standIn.turn("forget", #"{"what": "profiles"}"#)
        let question = PreauthorizeRequest.Builder().setResources(["1"]).build()
        let status = await app.enabler.preauthorize(question).status
        #expect(status?.status == 403 && status?.code == "authenticated_profile_missing")
        #expect(status?.action == "authentication")
    }

    @Test("F36: a temporary pass needs nobody, says so, and ends")
    func temporaryPass() async throws {
        let app = try standIn.app()
        try await app.start()
        app.enabler.setSelectedProvider("DayPass")
        #expect(await app.words(until: "authentication") == ["status(N011)", "authentication(1)"])
        app.call { $0.checkAuthorization("anything") }
        #expect(await app.words(until: "token") == ["status(Z011)", "token"])
        standIn.clock.pass(601)
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

    @Test("F36: a promotional pass wants to know who the person is, and counts what they watch")
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
        let stranger = try standIn.app("Sport", group: nil, device: "other")
        try await stranger.start()
        stranger.enabler.setSelectedProvider("PromoPass")
        #expect(
            await stranger.words(until: "authentication")
                == ["status(N500)", "authentication(0, Generic Authentication Error)"]
        )
    }

    @Test("F37: TV providers that are out of order sign in, permit and refuse, each with its report")
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
        #expect(await app.words(until: "tokenRequestFailed").first == "status(Z169)")
    }

    @Test("F9: a secure browser is spoken of where the server demands it, and leads to the app's own scheme")
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

extension PassTokenStore {
    /// Logs the person out here, and not at the server.
    fileprivate func forget() { try? logOut() }
}
