import Foundation
import SecretService
import SharedAuth
import TestSupport
import Testing

@testable import PassAuth

/// The storage of SDK 1.6 and earlier: one slot, and a private file of the app for integrations per requestor.
@Suite(.timeLimit(.minutes(5)))
struct PerRequestorFileTests {
    let world = PassStoreFixture()
    /// Integrates M1 like the others, and M2 per requestor.
    let requestor = RequestorConfiguration(
        id: "R1",
        integrations: [MVPDIntegration(mvpd: "M1"), MVPDIntegration(mvpd: "M2", isPerRequestor: true)]
    )
    let other = RequestorConfiguration("R9", "M1")

    private func app(_ name: String = "one") throws -> PassTokenStore {
        try world.store(app: "com.example.\(name)", .singleSlot, .off)
    }

    @Test("An MVPD per requestor is stored in the app's private file")
    func ownFile() throws {
        let (one, two) = (try app(), try app("two"))
        let slot = try two.signIn(world.token("R9", "M1", user: "slot"), for: other)
        try one.signIn(world.token("R1", "M2", user: "own"), for: requestor)
        #expect(try one.session(of: requestor)?.token.userID == "own")
        #expect(try two.session(of: other) == slot)
        // No other app sees the file, not even one of the same programmer.
        #expect(try two.session(of: RequestorConfiguration("R1", "M2")) == nil)
        #expect(try app().session(of: requestor)?.token.userID == "own")
        #expect(try one.contents().tokens.map(\.token.userID) == ["own", "slot"])
    }

    @Test("The MVPD chosen last counts, wherever its token is stored")
    func choice() throws {
        let store = try app()
        try store.signIn(world.token("R1", "M2", user: "own"), for: requestor)
        try store.signIn(world.token("R1", "M1", user: "slot"), for: requestor)
        #expect(try store.session(of: requestor)?.token.userID == "slot")
        #expect(try store.selection(of: requestor) == MVPDSelection(mvpd: "M1", canAuthenticate: true))
        try store.select("M2", for: "R1")
        #expect(try store.session(of: requestor)?.token.userID == "own")
        try store.select(nil, for: "R1")
        #expect(try store.session(of: requestor) == nil)
        #expect(try store.selection(of: requestor).mvpd == nil)
        try store.signIn(world.token("R1", "M2", user: "again"), for: requestor)
        #expect(try store.session(of: requestor)?.token.userID == "again")
    }

    @Test("A log-out ends both sessions and deletes their cached answers")
    func logOut() throws {
        let store = try app()
        try store.signIn(world.token("R9", "M1"), for: other)
        let session = try store.signIn(world.token("R1", "M2"), for: requestor)
        let token = try world.authorization("channel", "R1", "M2")
        try store.updateCache(of: session) { $0.keep(token) }
        #expect(try store.authorization(for: "channel", in: session) == token)
        #expect(try store.cache(of: session).allAuthorizations == [token])
        try store.logOut()
        #expect(try store.session(of: requestor) == nil && store.session(of: other) == nil)
        for key in Set(world.keyring.takeWrites()) where !key.isIndex { #expect(try world.isEmpty(key)) }
    }

    @Test("Listeners and users follow changes of the file like those of the slot")
    func heard() async throws {
        let store = try app()
        var states = try store.states(of: requestor).makeAsyncIterator()
        guard case .signedOut = await states.next() else { Issue.record("not signed out"); return }
        try store.signIn(world.token("R1", "M2", user: "own"), for: requestor)
        guard case .signedIn(let session) = await states.next() else { Issue.record("not signed in"); return }
        #expect(session.token.userID == "own")
        let users = PassUserStore(
            of: requestor,
            appID: "com.example.one",
            in: world.keyring,
            device: store.device,
            options: store.options
        )
        let key = RecordKey(scope: .app("com.example.one"), project: "p", instance: "default", kind: "user")
        guard case .whole(let user) = try users.read(key, by: .patient) else {
            Issue.record("no user"); return
        }
        try users.update(key, by: .patient) { _ in .delete }
        guard case .signedOut = await states.next() else { Issue.record("not signed out"); return }
        // A user who is stored again goes to the place of the token.
        try users.update(key, by: .patient) { _ in .write(user.payload) }
        guard case .signedIn = await states.next() else { Issue.record("not signed in"); return }
        #expect(try store.earlier(.perProgrammer).contents().tokens.count == 1)
    }

    @Test("The next layout imports the token from either place", arguments: ["M1", "M2"])
    func imported(mvpd: String) throws {
        let token = try world.token("R1", mvpd)
        try app().signIn(token, for: requestor)
        #expect(try world.store(.buckets, .off).configure(requestor).session?.token == token)
    }
}
