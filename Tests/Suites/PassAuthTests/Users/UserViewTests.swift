import Foundation
import SecretService
import SharedAuth
import TestSupport
import Testing

@testable import PassAuth

@Suite(.timeLimit(.minutes(5)))
struct UserViewTests {
    static let group = PassStoreFixture.team

    let world = PassStoreFixture()
    let requestor = RequestorConfiguration("R1", "M1", "M2")
    let app: BridgedApp

    var auth: Auth { app.auth }

    init() throws { app = try BridgedApp(world, requestor) }

    @Test("The session of the group is the group's user, derived and not stored")
    func derived() async throws {
        try auth.useUserAccessGroup(Self.group)
        var states = auth.authStateChanges.makeAsyncIterator()
        #expect(await states.next() == .some(nil))
        let token = try world.token("R1", "M1", user: "person")
        try app.tokens(Self.group).signIn(token, for: requestor)
        let user = try #require(await states.next() ?? nil)
        #expect(user.uid == "person" && user === auth.currentUser)
        #expect(user.providerData.map(\.providerID) == ["M1"] && user.providerData.map(\.uid) == ["person"])
        #expect(try await user.getIDToken() == Data(token.serialized.utf8).base64EncodedString())
        #expect(try auth.getStoredUser(forAccessGroup: Self.group)?.uid == "person")
        #expect(try auth.getStoredUser(forAccessGroup: nil) == nil)
        #expect(world.keyring.takeWrites().allSatisfy { $0.kind != "user" })
        #expect(
            try BridgedApp(world, RequestorConfiguration("R2", "M1")).auth
                .getStoredUser(forAccessGroup: Self.group)?.uid == "person"
        )
    }

    @Test("The secrets provider and durability are those of the underlying store")
    func answersFromBelow() throws {
        let view = PassUserStore(
            of: requestor,
            appID: "com.example.one",
            in: FaultInjectingStore(world.memory, isDurable: false, daemon: "forgetful"),
            device: try .custom("device")
        )
        #expect(try view.isDurableOnAcknowledge(by: .patient) == false)
        #expect(try view.daemon(by: .patient) == "forgetful")
    }

    @Test("Signing out logs out every programmer, in one write")
    func signOut() async throws {
        let peer = try BridgedApp(world, requestor, appID: "com.example.two")
        for app in [app, peer] { try app.auth.useUserAccessGroup(Self.group) }
        let tokens = try app.tokens(Self.group)
        let second = RequestorConfiguration("R2", "M2")
        try tokens.signIn(world.token("R2", "M2"), for: second)
        try tokens.signIn(world.token("R1", "M1", user: "x"), for: requestor)
        var states = peer.auth.authStateChanges.makeAsyncIterator()
        while try #require(await states.next())?.uid != "x" {}
        // The app that signs out has to know the user, too.
        var ownStates = auth.authStateChanges.makeAsyncIterator()
        while try #require(await ownStates.next())?.uid != "x" {}
        var sessions = try tokens.states(of: second).makeAsyncIterator()
        guard case .signedIn = await sessions.next() else { Issue.record("not signed in"); return }
        _ = world.keyring.takeWrites()
        try auth.signOut()
        // The log-out, the deletions of stored data, and the note that they are done.
        #expect(world.keyring.takeWrites().map(\.isIndex) == [true, false, false, true])
        #expect(await states.next() == .some(nil))
        guard case .signedOut = await sessions.next() else { Issue.record("not signed out"); return }
        #expect(auth.currentUser == nil)
    }

    @Test("A log-out of the tokens signs out the user")
    func logOut() async throws {
        try auth.useUserAccessGroup(Self.group)
        let tokens = try app.tokens(Self.group)
        try tokens.signIn(world.token("R1", "M1"), for: requestor)
        var states = auth.authStateChanges.makeAsyncIterator()
        while try #require(await states.next()) == nil {}
        try tokens.logOut()
        #expect(await states.next() == .some(nil))
        #expect(auth.currentUser == nil)
    }

    @Test("Each group has its own user, and nil has the private store's user")
    func switching() async throws {
        let other = "group.example.other"
        var states = auth.authStateChanges.makeAsyncIterator()
        for (group, user) in [(nil, "own"), (Self.group, "team"), (other, "other")] {
            try app.tokens(group).signIn(world.token("R1", "M1", user: user), for: requestor)
        }
        #expect(try auth.getStoredUser(forAccessGroup: nil)?.uid == "own")
        // An app that joins a group leaves its own user, which is announced first.
        while try #require(await states.next())?.uid != "own" {}
        try auth.useUserAccessGroup(Self.group)
        #expect(auth.currentUser?.uid == "team")
        try auth.useUserAccessGroup(other)
        #expect(auth.currentUser?.uid == "other")
        try auth.signOut()
        try auth.useUserAccessGroup(Self.group)
        #expect(auth.currentUser?.uid == "team")
        try auth.useUserAccessGroup(nil)
        #expect(auth.currentUser == nil)
        #expect(try app.tokens(other).session(of: requestor) == nil)
    }

    @Test("Locked, damaged and newer are states; signing out sets a damaged record aside")
    func unreadable() async throws {
        let tokens = try app.tokens(nil)
        let session = try tokens.signIn(world.token("R1", "M1"), for: requestor)
        world.keyring.fail(as: .locked)
        guard case .locked = await (try BridgedApp(world, requestor)).auth.ready() else {
            Issue.record("not locked")
            return
        }
        world.keyring.mend()
        for text in [#"{"schema":9}"#, "{}"] {
            try world.put(text, under: tokens.records.indexKey)
            let later = try BridgedApp(world, requestor)
            guard case .damaged = await later.auth.ready() else {
                Issue.record("not damaged")
                return
            }
            if text == "{}" {
                try later.auth.signOut()
            } else {
                #expect(throws: (any Error).self) { try later.auth.signOut() }
                #expect(try world.text(tokens.records.indexKey) == text)
            }
        }
        #expect(try tokens.session(of: requestor) == nil)
        #expect(try world.isEmpty(tokens.records.key(session.place)))
    }

    @Test("An expired session has no user")
    func expiry() throws {
        try app.tokens(nil).signIn(world.token("R1", "M1", lifetime: 60), for: requestor)
        #expect(try auth.getStoredUser(forAccessGroup: nil) != nil)
        world.clock.advance(by: 60)
        #expect(try auth.getStoredUser(forAccessGroup: nil) == nil)
    }
}
