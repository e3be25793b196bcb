import Foundation
import SharedAuth
import TestSupport
import Testing

@testable import PassAuth

/// Apps of one team, each with its own client ID; the back ends share sign-ins between clients or keep them separate.
@Suite(.timeLimit(.minutes(2)))
struct ClientSessionTests {
    let world = PassStoreFixture()

    private func app(_ id: String, client: String?, isAlone: Bool = true) throws -> EnablerApp {
        let app = try EnablerApp(world, tokens: try world.store(app: "com.example.\(id)"))
        app.backEnd.change { ($0.isProfile, $0.client, $0.isAlone) = (true, client, isAlone) }
        return app
    }

    private func stored() throws -> [String] {
        try world.store().contents().tokens.map { "\($0.token.profileClient ?? "-") \($0.token.mvpd)" }.sorted()
    }

    @Test("Apps with a sign-in per client each have their own session")
    func alone() async throws {
        let (one, two) = (try app("one", client: "c1"), try app("two", client: "c2"))
        try await one.start()
        try await two.start()
        await one.signIn()
        #expect(await two.enabler.checkAuthentication().isAuthenticated == false)
        // It received only the response to its own call.
        #expect(
            await two.hear(until: "status") == ["report N000 information", "status 0 User Not Authenticated Error"]
        )
        await two.signIn("M2")
        #expect(try stored() == ["c1 M1", "c2 M2"])
        #expect(await one.enabler.checkAuthentication() == .authenticated)
        #expect(await one.enabler.getSelectedProvider()?.id == "M1")
        // The end of the other app's session does not affect this app.
        two.backEnd.change { $0.denials = ["a": PassBackendError(.notAuthenticated)] }
        two.call { $0.checkAuthorization("a") }
        _ = await two.hear(until: "failed")
        #expect(try stored() == ["c1 M1"])
        #expect(await one.enabler.checkAuthentication() == .authenticated)
        #expect(await one.hear(until: "selected") == ["status 1 ", "selected M1"])
        // A log-out applies to all apps.
        try two.enabler.tokens.logOut()
        #expect(await one.hear(until: "status 0") == ["status 1 ", "status 0 User Not Authenticated Error"])
    }

    @Test("The app's latest choice of TV provider wins")
    func lastChoice() async throws {
        let one = try app("one", client: "c1")
        // Like a store without a back end, it chooses for all apps.
        let plain = try world.store(app: "com.example.one")
        try plain.select("M1", for: "R1")
        try await one.start()
        #expect(await one.enabler.getSelectedProvider()?.id == "M1")
        await one.signIn("M2")
        #expect(try plain.selection(of: "R1").mvpd == "M2")
        try plain.select("M1", for: "R1")
        #expect(await one.enabler.getSelectedProvider()?.id == "M1")
        #expect(try world.store(app: "com.example.two").selection(of: "R1").mvpd == "M1")
    }

    @Test("Clients with the same TV provider keep separate sessions, even after a restart")
    func sameProvider() async throws {
        let (one, two) = (try app("one", client: "c1"), try app("two", client: "c2"))
        for app in [one, two] {
            try await app.start()
            await app.signIn()
        }
        #expect(try stored() == ["c1 M1", "c2 M1"])
        #expect(await one.enabler.checkAuthentication() == .authenticated)
        let again = try app("one", client: "c1")
        try await again.start()
        #expect(await again.enabler.checkAuthentication() == .authenticated)
        let third = try app("three", client: "c3")
        try await third.start()
        #expect(await third.enabler.checkAuthentication().isAuthenticated == false)
        #expect(await third.enabler.getSelectedProvider() == nil)
    }

    @Test("Apps that sign in as a group share one session, and so do apps without clients", arguments: ["c", nil])
    func group(_ prefix: String?) async throws {
        let (one, two) = (
            try app("one", client: prefix.map { "\($0)1" }, isAlone: false),
            try app("two", client: prefix.map { "\($0)2" }, isAlone: prefix == nil)
        )
        try await one.start()
        try await two.start()
        await one.signIn()
        #expect(await two.hear(until: "status") == ["status 1 "])
        #expect(try await !two.enabler.checkAuthorization("a").isEmpty)
        #expect(try stored().count == 1)
    }

    @Test("If the index of an earlier version does not name the client, the token does")
    func earlierVersion() throws {
        let (one, two) = (
            try world.store().counting { .only(["c1"]) }, try world.store().counting { .only(["c2"]) }
        )
        let requestor = RequestorConfiguration("R1", "M1")
        let token = try AuthenticationToken(
            profileOf: "person",
            requestor: "R1",
            mvpd: "M1",
            expires: world.clock.now + 3600,
            fingerprint: DeviceIdentity(.custom, "device").fingerprint,
            client: "c1"
        )
        try one.signIn(token, for: requestor)
        let index = try #require(try world.text(one.records.indexKey))
        let earlier = index.replacing(#""client":"c1","#, with: "")
        #expect(earlier != index)
        try world.put(earlier, under: one.records.indexKey)
        #expect(try one.session(of: requestor)?.token == token)
        #expect(try two.session(of: requestor) == nil)
    }

    @Test("An app that registers again is notified that its session is over")
    func registeredAgain() async throws {
        let app = try app("one", client: "c1")
        try await app.start()
        await app.signIn()
        app.backEnd.change { $0.client = "c2" }
        try await app.enabler.setRequestor("R1")
        #expect(await app.hear(until: "status").last == "status 0 User Not Authenticated Error")
        #expect(try stored() == ["c1 M1"])
        // The TV provider is still remembered as the last one.
        app.call { $0.getAuthentication() }
        #expect(await app.hear(until: "navigate").contains { $0.hasPrefix("picker") } == false)
        app.enabler.handleExternalURL("adobepass://ios.app?state=state")
        #expect(await app.hear(until: "status") == ["status 1 "])
        #expect(try stored() == ["c2 M1"])
    }

    @Test("A client that signed in for a group keeps one sign-in when it is alone again")
    func oneSignIn() async throws {
        let app = try app("one", client: "c1", isAlone: false)
        try await app.start()
        await app.signIn()
        app.backEnd.change { $0.isAlone = true }
        #expect(await app.enabler.checkAuthentication() == .authenticated)
        _ = await app.hear(until: "status 1")
        app.call { $0.getAuthentication(true) }
        _ = await app.hear(until: "navigate")
        app.enabler.handleExternalURL("adobepass://ios.app?state=state")
        _ = await app.hear(until: "status 1")
        #expect(try stored() == ["c1 M1"])
    }
}
