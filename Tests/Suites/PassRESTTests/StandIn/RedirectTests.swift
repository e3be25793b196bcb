import SharedAuth
import TestSupport
import Testing

@testable import PassAuth
@testable import PassREST

/// Redirects of a login page: to the app, once; one that is foreign, wrong or late signs nobody in.
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
        // Had one of them counted, nobody would be signed in yet, and the sign-in were over.
        let end = try await standIn.fillIn(page)
        for _ in 1...2 { app.enabler.handleExternalURL(end) }
        #expect(await app.words(until: "authentication") == ["authentication(1)"])
        #expect(await app.enabler.checkAuthentication() == .authenticated)
        // Only that answer came, and none of another sign-in.
        #expect(await app.words(until: "authentication") == ["authentication(1)"])
        #expect(try await standIn.count("profile-of-code") == 1)
    }

    @Test("A redirect that comes after a cancel signs nobody in")
    func afterACancel() async throws {
        let app = try standIn.app()
        try await app.start()
        let end = try await standIn.fillIn(try await app.page())
        app.enabler.setSelectedProvider(nil)
        #expect(await app.words(until: "authentication").last == "authentication(0, Provider not Selected Error)")
        app.enabler.handleExternalURL(end)
        #expect(await app.enabler.checkAuthentication().isAuthenticated == false)
        #expect(try app.signedIn.isEmpty)
    }

    @Test("A redirect that comes after the code has expired signs nobody in")
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

    @Test("A person who cancels at the TV provider's page has the picker next time")
    func cancelledAtThePage() async throws {
        let app = try standIn.app()
        try await app.start()
        _ = try await app.page()
        // It leads where a good one does, with no profile behind it.
        app.enabler.handleExternalURL(try #require(standIn.redirects.events.last))
        _ = await app.hear(until: "authentication(0")
        app.call { $0.getAuthentication() }
        #expect(await app.words(until: "providerDialog").last?.hasPrefix("providerDialog") == true)
    }
}
