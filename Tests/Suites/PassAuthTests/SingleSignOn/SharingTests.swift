import Foundation
import SecretService
import SharedAuth
import TestSupport
import Testing

@testable import PassAuth

@Suite(.timeLimit(.minutes(5)))
struct SharingTests {
    let world = PassStoreFixture()

    private func requestor(_ id: String, _ integration: MVPDIntegration) -> RequestorConfiguration {
        RequestorConfiguration(id: id, integrations: [integration])
    }

    @Test(
        "A token of an MVPD per requestor is available only to its own programmer"
    )
    func perRequestor() throws {
        let integration = MVPDIntegration(mvpd: "M1", isPerRequestor: true, isPassive: true)
        let (first, second) = (requestor("R1", integration), requestor("R2", integration))
        let store = try world.store()
        #expect(try store.configure(second).passiveMVPDs.isEmpty)
        try store.signIn(world.token("R1", "M1"), for: first)
        #expect(try store.session(of: second) == nil)
        let report = try store.configure(second)
        #expect(report.session == nil && report.passiveMVPDs == ["M1"])
        // The token of the passive step belongs to this programmer and does not replace the other's.
        try store.signIn(world.token("R2", "M1"), for: second)
        #expect(try store.configure(second).passiveMVPDs.isEmpty)
        #expect(try store.session(of: first)?.token.requestor == "R1")
        #expect(try store.session(of: second)?.token.requestor == "R2")
        // A user who cleared the choice is not signed in without notice.
        try store.select(nil, for: "R2")
        #expect(try store.configure(second).passiveMVPDs.isEmpty)
        // An MVPD that does not support passive sign-in is not tried either.
        let third = requestor("R3", MVPDIntegration(mvpd: "M1", isPerRequestor: true))
        #expect(try store.configure(third).passiveMVPDs.isEmpty)
    }

    @Test("With single sign-on off for a pair, its token is shared with no one else")
    func unsharedPair() throws {
        let plain = MVPDIntegration(mvpd: "M1")
        let unshared = MVPDIntegration(mvpd: "M1", allowsSingleSignOn: false)
        let (first, second, third) = (requestor("R1", unshared), requestor("R2", plain), requestor("R3", plain))
        let store = try world.store()
        try store.signIn(world.token("R1", "M1"), for: first)
        #expect(try store.session(of: first) != nil)
        #expect(try store.session(of: second) == nil)
        try store.signIn(world.token("R3", "M1"), for: third)
        #expect(try store.session(of: second)?.token.requestor == "R3")
        #expect(try store.session(of: first)?.token.requestor == "R1")
        // A log-out clears the pair's token too.
        try store.logOut()
        #expect(try store.session(of: first) == nil)
    }

    @Test(
        "Another programmer's unshared token is refused, and stays unshared",
        arguments: [
            MVPDIntegration(mvpd: "M1", isPerRequestor: true),
            MVPDIntegration(mvpd: "M1", allowsSingleSignOn: false),
        ]
    )
    func othersToken(_ integration: MVPDIntegration) throws {
        let (first, second) = (requestor("R1", integration), requestor("R2", integration))
        let store = try world.store()
        let token = try world.token("R1", "M1")
        try store.signIn(token, for: first)
        expectFailure(\PassStoreError.code, .invalidToken, without: ["R1", "M1"]) {
            try store.signIn(token, for: second)
        }
        // It cannot be stored through the user either.
        let key = RecordKey(
            scope: .group(PassStoreFixture.team),
            project: "p",
            instance: "default",
            kind: "user"
        )
        guard case .whole(let user) = try users(of: first).read(key, by: .patient) else {
            Issue.record("no user")
            return
        }
        do throws(RecordStoreError) {
            try users(of: second).update(key, by: .patient) { _ in .write(user.payload) }
            Issue.record("not refused")
        } catch {
            #expect((error.underlying as? PassStoreError)?.code == .invalidToken)
        }
        #expect(try store.session(of: first)?.token == token)
        #expect(try store.session(of: RequestorConfiguration("R3", "M1")) == nil)
    }

    @Test("A token kept from others is not shared by a programmer with other integrations")
    func keptToken() throws {
        let store = try world.store()
        let token = try world.token("R1", "M1")
        let first = requestor("R1", MVPDIntegration(mvpd: "M1", isPerRequestor: true))
        try store.signIn(token, for: first)
        let second = RequestorConfiguration("R2", "M1")
        expectFailure(\PassStoreError.code, .invalidToken) { try store.signIn(token, for: second) }
        #expect(try store.session(of: second) == nil)
        #expect(try store.session(of: first)?.token == token)
    }

    private func users(of requestor: RequestorConfiguration) -> PassUserStore {
        PassUserStore(
            of: requestor,
            appID: "com.example.one",
            in: world.keyring,
            device: DeviceIdentity(.custom, "device"),
            options: .init(now: { [clock = world.clock] in clock.now })
        )
    }

    @Test("The programmer's own token counts first, then the newest shared token")
    func order() throws {
        let store = try world.store()
        let asking = RequestorConfiguration("R3", "M1", "M2")
        try store.signIn(world.token("R1", "M1"), for: RequestorConfiguration("R1", "M1"))
        try store.signIn(world.token("R2", "M2"), for: RequestorConfiguration("R2", "M2"))
        #expect(try store.session(of: asking)?.token.mvpd == "M2")
        // A token counts only while its MVPD is integrated; without M2, the token of M1 is used.
        #expect(try store.session(of: RequestorConfiguration("R3", "M1"))?.token.mvpd == "M1")
        try store.signIn(world.token("R3", "M1"), for: asking)
        try store.signIn(world.token("R2", "M1"), for: RequestorConfiguration("R2", "M1"))
        #expect(try store.session(of: asking)?.token.requestor == "R3")
    }

    @Test("Every app of the group receives each change in order and never twice")
    func states() async throws {
        let requestor = RequestorConfiguration("R1", "M1")
        let store = try world.store()
        var states = try world.store(app: "com.example.two").states(of: requestor).makeAsyncIterator()
        #expect(await states.next()?.word == "out")
        try store.signIn(world.token("R1", "M1", user: "x"), for: requestor)
        #expect(await states.next()?.word == "x")
        // Another programmer's change is not reported.
        try store.signIn(world.token("R2", "M2"), for: RequestorConfiguration("R2", "M2"))
        try store.signIn(world.token("R1", "M1", user: "y"), for: requestor)
        #expect(await states.next()?.word == "y")
        try store.logOut()
        #expect(await states.next()?.word == "out")
        world.keyring.fail(as: .locked)
        try world.touchIndex(of: store)
        #expect(await states.next()?.word == "locked")
        world.keyring.mend()
        try world.touchIndex(of: store)
        #expect(await states.next()?.word == "out")
    }

    @Test("An observer of all reads receives every read, even without a change")
    func allLooks() async throws {
        let requestor = RequestorConfiguration("R1", "M1")
        let store = try world.store()
        var looks = try world.store(app: "com.example.two").reads(.all, of: requestor).makeAsyncIterator()
        #expect(await looks.next()?.word == "out")
        try world.touchIndex(of: store)
        #expect(await looks.next()?.word == "out")
    }

    @Test("An app is notified when a token expires, although nothing is written")
    func expiry() async throws {
        let requestor = RequestorConfiguration("R1", "M1")
        let store = try world.store()
        try store.signIn(world.token("R1", "M1", user: "x", lifetime: 60), for: requestor)
        world.clock.advance(by: 59.99)
        var states = try store.states(of: requestor).makeAsyncIterator()
        #expect(await states.next()?.word == "x")
        world.clock.advance(by: 1)
        #expect(await states.next()?.word == "out")
    }

    @Test("A read that outlasts its watch sets no timer for the token's expiry")
    func endedWhileReading() async throws {
        let requestor = RequestorConfiguration("R1", "M1")
        let store = try world.store()
        try store.signIn(world.token("R1", "M1", user: "x", lifetime: 60), for: requestor)
        world.clock.advance(by: 59.99)
        let (states, continuation) = AsyncStream.makeStream(of: PassSessionState.self)
        let feed = SessionFeed(of: store, requestor, .all, continuation)
        world.keyring.before(.read) { _ in feed.end() }
        try feed.begin()
        var ended = states.makeAsyncIterator()
        #expect(await ended.next()?.word == "x")
        // Timers ring in the order of their times, so a timer of the first feed rings before that of the second.
        var later = try store.states(of: requestor).makeAsyncIterator()
        #expect(await later.next()?.word == "x")
        world.clock.advance(by: 1)
        #expect(await later.next()?.word == "out")
        continuation.finish()
        #expect(await ended.next()?.word == nil)
        feed.end()
    }
}

extension PassSessionState {
    fileprivate var word: String {
        switch self {
        case .signedIn(let session): session.token.userID
        case .signedOut: "out"
        case .failed(let error): error.code.rawValue
        }
    }
}
