import SharedAuth
import TestSupport
import Testing

@testable import PassAuth
@testable import PassREST

/// Redirects of a login page: accepted once; a foreign, wrong or late redirect signs no user in.
@Suite(.timeLimit(.minutes(2)))
struct RedirectTests {
    private let standIn: InProcessPass

    init() throws { standIn = try InProcessPass() }

    @Test("Foreign redirects and wrong states change nothing; the right one counts once")
    func once() async throws {
        let app = try standIn.app()
        try await app.start()
        let page = try await app.page()
        let state = try #require(standIn.redirects.events.last?.split(separator: "state=").last)
        for foreign in [
            "adobepass://ios.app", "adobepass://ios.app?state=other", "https://elsewhere.example?state=\(state)",
        ] {
            app.enabler.handleExternalURL(foreign)
        }
        // If one of them had counted, the sign-in would have ended without a user.
        let end = try await standIn.fillIn(page)
        for _ in 1...2 { app.enabler.handleExternalURL(end) }
        #expect(await app.words(until: "authentication") == ["authentication(1)"])
        #expect(await app.enabler.checkAuthentication() == .authenticated)
        // Only that response arrived, and none of a second sign-in.
        #expect(await app.words(until: "authentication") == ["authentication(1)"])
        #expect(try await standIn.count("profile-of-code") == 1)
    }

    @Test("A redirect or profile that arrives after a cancel signs no user in", arguments: [false, true])
    func afterACancel(_ isProfile: Bool) async throws {
        let app = try standIn.app()
        try await app.start()
        let end = try await standIn.fillIn(try await app.page())
        var waits = standIn.relay.waits.makeAsyncIterator()
        if isProfile {
            standIn.relay.spoil("/profiles/code/", .init(status: 200, form: .slow))
            app.enabler.handleExternalURL(end)
            await waits.next()
        }
        app.enabler.setSelectedProvider(nil)
        #expect(await app.words(until: "authentication") == ["authentication(0, Provider not Selected Error)"])
        if isProfile {
            standIn.relay.stop()
            await waits.next()
        }
        app.enabler.handleExternalURL(end)
        #expect(await app.enabler.checkAuthentication().isAuthenticated == false)
        #expect(try app.signedIn.isEmpty)
    }

    @Test("A redirect that arrives after a restart of the app signs no user in")
    func afterARestart() async throws {
        let app = try standIn.app()
        try await app.start()
        let end = try await standIn.fillIn(try await app.page())
        let again = try standIn.app()
        try await again.start()
        again.enabler.handleExternalURL(end)
        #expect(await again.enabler.checkAuthentication().isAuthenticated == false)
        #expect(try again.signedIn.isEmpty)
    }

    @Test("A redirect that arrives after the code has expired signs no user in")
    func tooLate() async throws {
        let app = try standIn.app()
        try await app.start()
        let end = try await standIn.fillIn(try await app.page())
        try await standIn.turn("clock", #"{"offset": 1800}"#)
        app.enabler.handleExternalURL(end)
        let heard = await app.words(until: "authentication")
        #expect(heard.last == "authentication(0, Generic Authentication Error)" && heard.count == 2)
        #expect(try app.signedIn.isEmpty)
    }

    @Test("After a cancel on the TV provider's page, the next sign-in shows the picker")
    func cancelledAtThePage() async throws {
        let app = try standIn.app()
        try await app.start()
        _ = try await app.page()
        // The redirect is the usual one, but has no profile behind it.
        app.enabler.handleExternalURL(try #require(standIn.redirects.events.last))
        _ = await app.hear(until: "authentication(0")
        app.call { $0.getAuthentication() }
        #expect(await app.words(until: "providerDialog").last?.hasPrefix("providerDialog") == true)
    }
}
