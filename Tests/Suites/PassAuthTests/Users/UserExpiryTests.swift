import Foundation
import TestSupport
import Testing

@testable import PassAuth
@testable import SharedAuth

/// A user of a session exists as long as its token is valid.
@Suite(.timeLimit(.minutes(5)))
struct UserExpiryTests {
    static let group = PassStoreFixture.team

    let world = PassStoreFixture()
    let requestor = RequestorConfiguration("R1", "M1")
    let app: BridgedApp

    init() throws { app = try BridgedApp(world, requestor) }

    @Test("The current user ends when its token expires, and listeners are notified")
    func ends() async throws {
        try app.tokens(Self.group).signIn(world.token("R1", "M1", lifetime: 60), for: requestor)
        // The timer uses the real clock: this much time is left when the app reads the token.
        world.clock.advance(by: 59.9)
        try app.auth.useUserAccessGroup(Self.group)
        var states = app.auth.authStateChanges.makeAsyncIterator()
        while try #require(await states.next())?.uid != "person" {}
        #expect(app.auth.currentUser?.uid == "person")
        _ = world.keyring.takeWrites()
        world.clock.advance(by: 1)
        #expect(await states.next() == .some(nil))
        #expect(app.auth.currentUser == nil)
        #expect(world.keyring.takeWrites().isEmpty)
    }

    @Test("No timer outlives the store that set it")
    func released() throws {
        weak var clock: TestClock?
        let watch = try {
            let (own, key) = (TestClock(), try app.tokens(Self.group).records.indexKey)
            let alarms = ExpiryAlarms(now: { own.now })
            let watch = alarms.watch(key, []) { _ in }
            alarms.set(own.now + 3600, of: key)
            clock = own
            return watch
        }()
        #expect(clock == nil)
        watch.cancel()
    }

    @Test("A programmer signed in by single sign-on has that MVPD until it chooses")
    func selection() throws {
        let store = try app.tokens(Self.group)
        let second = RequestorConfiguration("R2", "M1")
        #expect(try store.selection(of: second) == MVPDSelection(mvpd: nil, canAuthenticate: false))
        try store.signIn(world.token("R1", "M1"), for: requestor)
        #expect(try store.selection(of: second) == MVPDSelection(mvpd: "M1", canAuthenticate: true))
        #expect(try store.selection(of: "R2") == MVPDSelection(mvpd: "M1", canAuthenticate: true))
        // Not an MVPD that it does not integrate.
        #expect(try store.selection(of: RequestorConfiguration("R3", "M3")).mvpd == nil)
        try store.select(nil, for: "R2")
        #expect(try store.selection(of: second) == MVPDSelection(mvpd: nil, canAuthenticate: false))
        world.clock.advance(by: 7200)
        #expect(try store.selection(of: RequestorConfiguration("R4", "M1")).mvpd == nil)
        #expect(try store.selection(of: requestor).mvpd == "M1")
    }
}
