import Foundation
import SharedAuth
import TestSupport
import Testing

@testable import PassAuth

/// A back end that misbehaves, and apps that interfere with each other.
@Suite(.timeLimit(.minutes(2)))
struct FlowsUnderFireTests {
    let world = PassStoreFixture()

    private func onPage(_ change: (inout ScriptedBackEnd.Script) -> Void = { _ in }) async throws -> EnablerApp {
        let app = try EnablerApp(world)
        app.backEnd.change(change)
        try await app.start()
        app.enabler.setSelectedProvider("M1")
        app.call { $0.getAuthentication() }
        return app
    }

    @Test("A back end that hangs ends each call once, after the call's limit", arguments: ["start", "profile"])
    func hanging(_ call: String) async throws {
        let app = try await onPage { $0.hanging = [call] }
        if call == "profile" {
            _ = await app.hear(until: "navigate")
            // The limit of the first request, which has ended, does not count here.
            app.enabler.handleExternalURL("adobepass://ios.app?state=state")
        }
        var calls = app.backEnd.calls.makeAsyncIterator()
        while let name = await calls.next(), !name.hasPrefix(call) {}
        app.timers.pass(.seconds(30))
        #expect(await app.hear(until: "status") == ["report N500 error", "status 0 Generic Authentication Error"])
        app.backEnd.change { $0.hanging = [] }
        app.call { $0.getAuthentication() }
        #expect(await app.hear(until: "picker") == ["picker Cable M2"])
    }

    @Test("An authorization that hangs ends after its limit, and the session stays")
    func hangingAuthorization() async throws {
        let app = try await onPage()
        _ = await app.hear(until: "navigate")
        app.enabler.handleExternalURL("adobepass://ios.app?state=state")
        _ = await app.hear(until: "status 1")
        app.backEnd.change { $0.hanging = ["authorize"] }
        app.call { $0.checkAuthorization("a") }
        var calls = app.backEnd.calls.makeAsyncIterator()
        while let name = await calls.next(), !name.hasPrefix("authorize") {}
        app.timers.pass(.seconds(30))
        #expect(
            await app.hear(until: "failed") == [
                "report Z120 error a",
                "failed a: Generic Authorization Error: The server did not answer in time.",
            ]
        )
        #expect(await app.enabler.checkAuthentication() == .authenticated)
    }

    @Test("A response that arrives after a cancel changes nothing")
    func late() async throws {
        let app = try await onPage()
        _ = await app.hear(until: "navigate")
        app.backEnd.change { $0.hanging = ["profile"] }
        app.enabler.handleExternalURL("adobepass://ios.app?state=state")
        app.enabler.setSelectedProvider(nil)
        #expect(await app.hear(until: "status") == ["status 0 Provider not Selected Error"])
        app.enabler.handleExternalURL("adobepass://ios.app?state=state")
        #expect(await app.enabler.checkAuthentication().isAuthenticated == false)
        #expect(try app.enabler.tokens.contents().tokens.isEmpty)
    }

    @Test("A clock that is an hour off is reported")
    func wrongClock() async throws {
        let app = try EnablerApp(world)
        app.backEnd.change { $0.serverDate = world.clock.now + 3600 }
        try await app.enabler.setRequestor("R1")
        #expect(await app.hear(until: "setRequestorComplete") == ["report CFG100 warning", "setRequestorComplete 1"])
    }

    @Test("A new authorization that has expired reports how far the clock is ahead")
    func clockAhead() async throws {
        let app = try EnablerApp(world)
        try await app.start()
        await app.signIn()
        app.backEnd.change { $0.authorizationLife = -7200 }
        app.call { $0.checkAuthorization("a") }
        let words = "The authorization expired 2 hours ago by this machine's clock, though it is new."
        let heard = await app.hear(until: "failed")
        #expect(heard.first == "report Z500 error a")
        #expect(heard.last?.hasPrefix("failed a: Internal Authorization Error: \(words)") == true)
    }

    @Test("Metadata too large for a record is cut, and the sign-in succeeds")
    func largeMetadata() async throws {
        let list = (0..<8000).map { #""channel-\#($0)""# }.joined(separator: ",")
        let envelope = Data(#"{"updated":1,"encrypted":[],"data":{"zip":"12345","channelID":[\#(list)]}}"#.utf8)
        let app = try await onPage { ($0.profileMetadata, $0.metadata) = (envelope, envelope) }
        _ = await app.hear(until: "navigate")
        app.enabler.handleExternalURL("adobepass://ios.app?state=state")
        #expect(await app.hear(until: "status") == ["status 1 "])
        _ = app.backEnd.takeAsked()
        #expect(await app.enabler.getMetadata(.user("zip")).value == .text("12345"))
        #expect(app.backEnd.takeAsked().isEmpty)
        // A value that is not stored is requested from the server.
        let answer = await app.enabler.getMetadata(.user("channelID")).value
        guard case .list(let channels)? = answer else {
            Issue.record("There are no channels.")
            return
        }
        #expect(channels.count == 8000 && app.backEnd.takeAsked() == ["metadata"])
        #expect(await app.enabler.checkAuthentication() == .authenticated)
    }

    @Test("Two apps sign in at the same time: the first to finish signs in both")
    func twoApps() async throws {
        let (first, second) = (try await onPage(), try await onPage())
        for app in [first, second] { _ = await app.hear(until: "navigate") }
        first.enabler.handleExternalURL("adobepass://ios.app?state=state")
        #expect(await first.hear(until: "status") == ["status 1 "])
        #expect(await second.hear(until: "status") == ["status 1 "])
        // The second app's page ends too, without further effect.
        second.enabler.handleExternalURL("adobepass://ios.app?state=state")
        #expect(await second.enabler.checkAuthentication() == .authenticated)
        #expect(second.backEnd.takeAsked() == ["start M1"])
        #expect(try first.enabler.tokens.contents().tokens.count == 1)
    }

    @Test("An app that ends between redirect and token starts again from the stored state")
    func killed() async throws {
        let app = try await onPage { $0.hanging = ["profile"] }
        _ = await app.hear(until: "navigate")
        app.enabler.handleExternalURL("adobepass://ios.app?state=state")
        let again = try EnablerApp(world)
        try await again.start()
        again.enabler.handleExternalURL("adobepass://ios.app?state=state")
        #expect(await again.enabler.checkAuthentication().isAuthenticated == false)
        await again.signIn()
        #expect(await again.enabler.checkAuthentication() == .authenticated)
    }

    @Test("A locked keyring does not log out, and no call hangs")
    func locked() async throws {
        let app = try await onPage()
        _ = await app.hear(until: "navigate")
        world.keyring.fail(as: .locked)
        app.call { $0.checkAuthentication() }
        #expect(await app.hear(until: "status") == ["report 500 error", "status 0 Internal Authentication Error"])
        #expect(await app.enabler.logout() == .failed("Internal Authentication Error"))
        world.keyring.mend()
        #expect(await app.enabler.checkAuthentication() == .failed("User Not Authenticated Error"))
    }

    @Test("A released AccessEnabler ends its sequences")
    func gone() async throws {
        var enabler: AccessEnabler? = AccessEnabler(
            "statement",
            tokens: try world.store(),
            backEnd: ScriptedBackEnd(world.clock)
        )
        let events = try #require(enabler?.events)
        try await enabler?.setRequestor("R1")
        enabler = nil
        for await _ in events {}
        #expect(enabler == nil)
    }
}
