import SharedAuth
import TestSupport
import Testing

@testable import PassAuth

/// An app whose clock is wrong, whose keyring is locked, or that releases its AccessEnabler.
@Suite(.timeLimit(.minutes(2)))
struct FlowsUnderFireTests {
    let world = PassStoreFixture()

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

    @Test("A locked keyring does not log out, and no call hangs")
    func locked() async throws {
        let app = try EnablerApp(world)
        try await app.start()
        app.enabler.setSelectedProvider("M1")
        app.call { $0.getAuthentication() }
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
