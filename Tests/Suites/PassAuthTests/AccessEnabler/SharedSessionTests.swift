import Dispatch
import Foundation
import SecretService
import SharedAuth
import TestSupport
import Testing

@testable import PassAuth

@Suite(.timeLimit(.minutes(2)))
struct SharedSessionTests {
    let world = PassStoreFixture()

    private func app(_ id: String, _ change: (inout ScriptedBackEnd.Script) -> Void = { _ in }) throws -> EnablerApp {
        let app = try EnablerApp(world, tokens: try world.store(app: "com.example.\(id)"))
        app.backEnd.change(change)
        return app
    }

    @Test("An MVPD per requestor signs in passively with another programmer's token")
    func passive() async throws {
        let integration = MVPDIntegration(mvpd: "M1", isPerRequestor: true, isPassive: true)
        let change: (inout ScriptedBackEnd.Script) -> Void = {
            ($0.mvpds, $0.acceptsPassive) = ([MVPD("M1", integration: integration), MVPD("M2")], true)
        }
        let (first, second) = (try app("one", change), try app("two", change))
        try await first.start()
        await first.signIn()
        try await second.enabler.setRequestor("R2")
        #expect(
            await second.hear(until: "setRequestorComplete") == ["report N001 information", "setRequestorComplete 1"]
        )
        #expect(second.backEnd.takeAsked() == ["register statement", "configuration", "passive M1"])
        #expect(await second.enabler.checkAuthentication() == .authenticated)
        #expect(try second.enabler.tokens.contents().tokens.map(\.token.requestor) == ["R1", "R2"])
    }

    @Test("With single sign-on off, one programmer's token does not sign in another")
    func singleSignOnOff() async throws {
        let integration = MVPDIntegration(mvpd: "M1", allowsSingleSignOn: false)
        let change: (inout ScriptedBackEnd.Script) -> Void = {
            $0.mvpds = [MVPD("M1", integration: integration), MVPD("M2")]
        }
        let (off, on) = (try app("one", change), try app("two"))
        try await off.start()
        await off.signIn()
        try await on.enabler.setRequestor("R2")
        #expect(await on.enabler.checkAuthentication().isAuthenticated == false)
        let again = try app("three", change)
        try await again.start()
        #expect(await again.enabler.checkAuthentication().isAuthenticated)
    }

    @Test("A log-out wipes the store before it calls the server, and notifies other apps")
    func logOut() async throws {
        let (first, second) = (try app("one"), try app("two"))
        try await first.start()
        await first.signIn()
        try await second.start("R2")
        #expect(await second.enabler.checkAuthentication() == .authenticated)
        _ = await second.hear(until: "status 1")
        let events = first.enabler.events
        first.call { $0.logout() }
        #expect(await first.hear(until: "navigate") == ["navigate https://sp/logout"])
        #expect(try first.enabler.tokens.contents().tokens.isEmpty)
        #expect(first.backEnd.lastRequest?.token?.userID == "person")
        #expect(await second.hear(until: "status") == ["status 0 User Not Authenticated Error"])
        first.enabler.handleExternalURL("adobepass://ios.app")
        #expect(await first.hear(until: "status") == ["status 0 User Not Authenticated Error"])
        for await event in events { if event == .loggedOut { break } }
    }

    @Test("A log-out whose page never ends still completes")
    func silentLogOut() async throws {
        let app = try app("one")
        try await app.start()
        await app.signIn()
        async let status = app.enabler.logout()
        _ = await app.hear(until: "navigate")
        app.timers.pass(.seconds(30))
        #expect(await status == .failed("User Not Authenticated Error"))
    }

    @Test("Apps are notified of each other's sign-in and log-out, and setRequestor rereads")
    func resync() async throws {
        let (first, second) = (try app("one"), try app("two"))
        try await first.start()
        try await second.start()
        await first.signIn()
        #expect(await second.hear(until: "status") == ["status 1 "])
        try second.enabler.tokens.logOut()
        #expect(await first.hear(until: "status") == ["status 0 User Not Authenticated Error"])
        try await first.enabler.setRequestor("R1")
        #expect(await first.enabler.checkAuthentication().isAuthenticated == false)
    }

    @Test("If watching for changes failed, the next setRequestor tries again")
    func listeningAgain() async throws {
        let (first, second) = (try app("one"), try app("two"))
        world.keyring.fail(.watch, times: 1)
        try await first.start()
        try await first.start()
        try await second.start()
        await second.signIn()
        #expect(await first.hear(until: "status") == ["status 1 "])
    }

    @Test("After the bus closed its connection, an app hears others and what it missed")
    func busClosed() async throws {
        let project = try KeyringProject(PrivateKeyring())
        let proxy = try BusProxy(project.keyring)
        defer { proxy.close() }
        func app(_ id: String, _ address: String) throws -> (EnablerApp, SecretService) {
            let service = SecretService(.init(busAddress: .address(address), timeout: .patience))
            let store = SecretServiceRecordStore(service)
            return (try EnablerApp(world, tokens: try world.store(app: "com.example.\(id)", on: store)), service)
        }
        let (first, service) = try app("one", proxy.address)
        let (second, _) = try app("two", project.keyring.busAddress)
        try await first.start()
        try await second.start()
        await first.signIn()
        #expect(await second.hear(until: "status") == ["status 1 "])
        let events = Recorder<SecretServiceChange>()
        let watch = try service.watch(events.record)
        proxy.cutConnections()
        #expect(events.first { $0 == .busClosed } != nil)
        try second.enabler.tokens.logOut()
        first.timers.pass(.seconds(1))
        #expect(await first.hear(until: "status") == ["status 0 User Not Authenticated Error"])
        await second.signIn()
        #expect(await first.hear(until: "status") == ["status 1 "])
        watch.cancel()
    }

    @Test("A temporary pass signs in directly and stays chosen after it expires")
    func temporaryPass() async throws {
        var mvpd = MVPD("M1")
        mvpd.isTemporary = true
        let app = try app("one") { [mvpd] in ($0.mvpds, $0.kind) = ([mvpd, MVPD("M2")], .temporary) }
        try await app.start()
        app.enabler.setSelectedProvider("M1")
        #expect(await app.hear(until: "status") == ["report N011 information", "status 1 "])
        app.call { $0.checkAuthorization("a") }
        #expect(await app.hear(until: "token") == ["report Z011 information a", "token media 1 for a"])
        #expect(try await app.enabler.checkPreauthorizedResources(["c", "d"]) == ["c", "d"])
        world.clock.advance(by: 4000)
        app.call { $0.checkAuthentication() }
        #expect(
            await app.hear(until: "status")
                == ["preauthorized c d", "report N111 warning", "status 0 User Not Authenticated Error"]
        )
        #expect(await app.enabler.getSelectedProvider()?.id == "M1")
    }

    @Test("Degradation signs in, authorizes and refuses, each with its report")
    func degradation() async throws {
        let app = try app("one") { $0.kind = .degraded }
        try await app.start()
        app.enabler.setSelectedProvider("M1")
        app.call { $0.getAuthentication() }
        #expect(await app.hear(until: "status") == ["report N010 warning", "status 1 "])
        app.call { $0.checkAuthorization("a") }
        #expect(await app.hear(until: "token") == ["report Z010 warning a", "token media 1 for a"])
        app.backEnd.change { $0.denials = ["b": PassBackendError(.deniedByDegradation)] }
        app.call { $0.checkAuthorization("b") }
        #expect(await app.hear(until: "failed").first == "report Z169 error b")
    }

    @Test("Throttling is reported as documented, and the next call follows a second later")
    func throttling() async throws {
        let app = try app("one")
        try await app.start()
        await app.signIn()
        let throttled = PassBackendError(.throttled)
        app.backEnd.change {
            $0.failures = ["authorize": [throttled], "preauthorize": [throttled], "metadata": [throttled]]
        }
        app.call { $0.getAuthorization("a") }
        #expect(await app.hear(until: "failed") == ["report Z100 error a", "failed a: User not Authorized Error: "])
        app.call { $0.checkPreauthorizedResources(["a"]) }
        app.timers.pass(.seconds(1))
        #expect(await app.hear(until: "preauthorized") == ["report P100 error", "preauthorized nil"])
        #expect(app.backEnd.takeAsked() == ["authorize a", "preauthorize a"])
        app.call { $0.getMetadata(.user("zip")) }
        app.timers.pass(.seconds(1))
        #expect(await app.hear(until: "metadata") == ["metadata 3 nil false"])
    }

    @Test("A sign-in is announced to Auth, and a sign-out there is a complete log-out")
    func bridge() async throws {
        let bridged = try BridgedApp(world, RequestorConfiguration("R1", "M1", "M2"))
        try bridged.auth.useUserAccessGroup(PassStoreFixture.team)
        let app = try app("one")
        app.enabler.follow(bridged.users)
        try await app.start()
        var states = bridged.auth.authStateChanges.makeAsyncIterator()
        await app.signIn()
        while try #require(await states.next())?.uid != "person" {}
        try bridged.auth.signOut()
        #expect(await app.hear(until: "navigate").last == "navigate https://sp/logout")
        let events = app.enabler.events
        app.enabler.handleExternalURL("adobepass://ios.app")
        for await event in events { if event == .loggedOut { break } }
        #expect(await app.enabler.checkAuthentication().isAuthenticated == false)
    }

    @Test("If one of two Auths signs out, only that app shows the log-out page")
    func twoAuths() async throws {
        let requestor = RequestorConfiguration("R1", "M1", "M2")
        let apps = try ["one", "two"].map { id in
            let bridged = try BridgedApp(world, requestor, appID: "com.example.\(id)")
            try bridged.auth.useUserAccessGroup(PassStoreFixture.team)
            let app = try app(id)
            app.enabler.follow(bridged.users)
            return (bridged: bridged, app: app)
        }
        let (first, second) = (apps[0], apps[1])
        for app in [first.app, second.app] { try await app.start() }
        var states = [first, second].map { $0.bridged.auth.authStateChanges.makeAsyncIterator() }
        await first.app.signIn()
        for index in states.indices { while try #require(await states[index].next())?.uid != "person" {} }
        #expect(await second.app.hear(until: "status") == ["status 1 "])
        try second.bridged.auth.signOut()
        for index in states.indices { #expect(await states[index].next() == .some(nil)) }
        #expect(await second.app.hear(until: "navigate").last == "navigate https://sp/logout")
        #expect(second.app.backEnd.lastRequest?.token?.userID == "person")
        #expect(await first.app.hear(until: "status") == ["status 0 User Not Authenticated Error"])
        // The first app's flow ends here: the server's part is done only once.
        _ = await first.app.enabler.checkAuthentication()
        #expect(first.app.backEnd.takeAsked() == [])
    }

    @Test("A user that moves to another slot is not logged out at the server")
    func move() async throws {
        let bridged = try BridgedApp(world, RequestorConfiguration("R1", "M1", "M2"))
        let app = try EnablerApp(world, tokens: try bridged.tokens(nil))
        app.enabler.follow(bridged.users)
        try await app.start()
        var states = bridged.auth.authStateChanges.makeAsyncIterator()
        await app.signIn()
        while try #require(await states.next())?.uid != "person" {}
        try await bridged.auth.migrateCurrentUser(toAccessGroup: PassStoreFixture.team)
        #expect(await app.hear(until: "status") == ["status 0 User Not Authenticated Error"])
        _ = await app.enabler.checkAuthentication()
        #expect(app.backEnd.takeAsked() == [])
    }
}
