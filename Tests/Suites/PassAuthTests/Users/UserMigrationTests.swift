import Foundation
import TestSupport
import Testing

@testable import PassAuth
@testable import SharedAuth

struct UserMigrationTests {
    static let group = PassStoreFixture.team

    let world = PassStoreFixture()
    let requestor = RequestorConfiguration("R1", "M1", "M2")
    let app: BridgedApp
    let token: AuthenticationToken

    var auth: Auth { app.auth }

    init() throws {
        app = try BridgedApp(world, requestor)
        token = try world.token("R1", "M1", user: "person")
        try app.tokens(nil).signIn(token, for: requestor)
        try auth.useUserAccessGroup(nil)
    }

    @Test("A migrated user takes the token along, and every app of the group is signed in")
    func migrate() throws {
        let user = try #require(auth.currentUser)
        try auth.migrateCurrentUser(toAccessGroup: Self.group)
        #expect(auth.currentUser === user && auth.userAccessGroup == Self.group)
        #expect(try app.tokens(nil).session(of: requestor) == nil)
        #expect(try world.store(app: "com.example.two").session(of: requestor)?.token == token)
        try auth.migrateCurrentUser(toAccessGroup: nil)
        #expect(try app.tokens(nil).session(of: requestor)?.token == token)
        #expect(try app.tokens(Self.group).session(of: requestor) == nil)
    }

    @Test("Migration by hand, in Firebase's three steps, has the same result")
    func byHand() async throws {
        let user = try #require(auth.currentUser)
        try auth.useUserAccessGroup(Self.group)
        #expect(auth.currentUser == nil)
        try await auth.updateCurrentUser(user)
        #expect(try app.tokens(Self.group).session(of: requestor)?.token == token)
        #expect(try app.tokens(nil).session(of: requestor) == nil)
    }

    @Test("A migration to a group with a signed-in user is refused, and nothing changes")
    func occupied() throws {
        try app.tokens(Self.group).signIn(world.token("R1", "M2", user: "other"), for: requestor)
        do {
            try auth.migrateCurrentUser(toAccessGroup: Self.group)
            Issue.record("not refused")
        } catch {
            #expect(error.code == .accessGroupOccupied)
        }
        #expect(try app.tokens(nil).session(of: requestor)?.token == token)
        #expect(try app.tokens(Self.group).session(of: requestor)?.token.userID == "other")
        try auth.migrateCurrentUser(toAccessGroup: Self.group, policy: .replace)
        #expect(try app.tokens(Self.group).session(of: requestor)?.token == token)
    }

    @Test(
        "A migration that dies at any write loses no user; the next start settles it"
    )
    func death() async throws {
        for writes in 1...8 {
            let world = PassStoreFixture()
            let app = try BridgedApp(world, requestor)
            try app.tokens(nil).signIn(world.token("R1", "M1"), for: requestor)
            try app.auth.useUserAccessGroup(nil)
            world.keyring.die(after: writes)
            try? await app.auth.migrateCurrentUser(toAccessGroup: Self.group)
            world.keyring.mend()
            let holders = try [nil, Self.group].filter { try app.tokens($0).session(of: requestor) != nil }
            #expect(!holders.isEmpty, "after \(writes) writes")
            let later = try BridgedApp(world, requestor, directory: app.directory)
            _ = await later.auth.ready()
            #expect(later.auth.currentUser?.uid == "person", "after \(writes) writes")
            let left = try [nil, Self.group].filter { try app.tokens($0).session(of: requestor) != nil }
            #expect(left.count == 1 && left.first == later.auth.userAccessGroup, "after \(writes) writes")
            // A log-out finds everything that was ever written.
            for group in [nil, Self.group] { try app.tokens(group).logOut() }
            for key in Set(world.keyring.takeWrites()) where !key.isIndex {
                #expect(try world.isEmpty(key), "after \(writes) writes")
            }
        }
    }

    @Test("Only a user of a currently valid Pass session can be stored")
    func strangers() async throws {
        let stranger = User(
            Account(
                profile: UserProfile(uid: "stranger"),
                tokens: UserTokens(idToken: "token", refreshToken: "", expirationDate: world.clock.now + 60),
                project: "default"
            ),
            auth: nil,
            slot: nil
        )
        do {
            try await auth.updateCurrentUser(stranger)
            Issue.record("not refused")
        } catch {
            #expect(error.code == .keychainError)
        }
        #expect(try app.tokens(nil).session(of: requestor)?.token == token)
        let user = try #require(try auth.getStoredUser(forAccessGroup: nil))
        try auth.signOut()
        world.clock.advance(by: 7200)
        do {
            try await auth.updateCurrentUser(user)
            Issue.record("not refused")
        } catch {
            #expect(error.code == .keychainError)
        }
        #expect(try app.tokens(nil).session(of: requestor) == nil)
    }
}
