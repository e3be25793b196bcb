import SecretService
import TestSupport
import Testing

@testable import SharedAuth

/// Migrations on a daemon that may forget what it has acknowledged; the scripted one is not known to be any better.
struct OriginalTests {
    private static let appID = "com.example.Mail"

    /// The uid in a slot, and in the app's own without a group.
    private func stored(_ group: String?, _ app: ListeningApp) throws -> String? {
        try app.auth.getStoredUser(forAccessGroup: group)?.uid
    }

    private func migrated(on bench: Bench) async throws -> ListeningApp {
        let app = try ListeningApp(Self.appID, on: bench, group: nil)
        try await app.signIn("x")
        try await app.auth.migrateCurrentUser(toAccessGroup: Bench.group)
        return app
    }

    @Test("The original stays until a later start has read the copy")
    func staysUntilRead() async throws {
        let bench = try Fake().bench
        let app = try await migrated(on: bench)
        #expect(app.auth.currentUser?.uid == "x")
        #expect(app.auth.userAccessGroup == Bench.group)
        #expect(try stored(nil, app) == "x")
        #expect(try stored(Bench.group, app) == "x")
        let later = try ListeningApp(Self.appID, on: bench, group: nil)
        #expect(later.auth.currentUser?.uid == "x")
        #expect(later.auth.userAccessGroup == Bench.group)
        #expect(try stored(nil, later) == nil)
        #expect(try stored(Bench.group, later) == "x")
    }

    @Test("A copy that was lost costs nothing: the original is still there")
    func lostCopy() async throws {
        let bench = try Fake().bench
        _ = try await migrated(on: bench)
        // As KWallet would have it after a crash.
        try bench.groupItem().delete()
        for _ in 1...2 {
            let later = try ListeningApp(Self.appID, on: bench, group: nil)
            #expect(later.auth.currentUser == nil)
            #expect(try stored(nil, later) == "x")
        }
        let later = try ListeningApp(Self.appID, on: bench, group: nil)
        try later.auth.useUserAccessGroup(nil)
        #expect(later.auth.currentUser?.uid == "x")
    }

    enum Leaving: CaseIterable {
        case signOut, signOutOne, signOutAll, deletion, endedSession
    }

    @Test("Signing out removes the original too, however it is done", arguments: Leaving.allCases)
    func signedOut(_ leaving: Leaving) async throws {
        let bench = try Fake().bench
        let app = try await migrated(on: bench)
        #expect(try stored(nil, app) == "x")
        let user = try #require(app.auth.currentUser)
        switch leaving {
        case .signOut: try app.auth.signOut()
        case .signOutOne: try await app.auth.signOut(uid: "x")
        case .signOutAll: try await app.auth.signOutAll()
        case .deletion: try await user.delete()
        case .endedSession:
            app.identity.fail(.userTokenExpired)
            do throws(AuthError) {
                _ = try await user.getIDToken(forcingRefresh: true)
                Issue.record("it did not fail")
            } catch {
                #expect(error.code == .userTokenExpired)
            }
        }
        #expect(app.auth.currentUser == nil)
        #expect(try stored(nil, app) == nil)
        #expect(try stored(Bench.group, app) == nil)
    }

    @Test("Where the daemon is durable, the original goes at once")
    func durableDaemon() async throws {
        let keyring = try PrivateKeyring()
        defer { keyring.shutdown() }
        let app = try await migrated(on: Bench(keyring))
        #expect(try stored(nil, app) == nil)
        #expect(try await app.auth.storeStatus().isDurable == true)
    }

    @Test("An original that changed since, or is in use again, is nobody's leftover")
    func changedSince() async throws {
        let bench = try Fake().bench
        let app = try await migrated(on: bench)
        try app.auth.useUserAccessGroup(nil)
        try await app.signIn("y")
        try app.auth.useUserAccessGroup(nil)
        let later = try ListeningApp(Self.appID, on: bench, group: nil)
        #expect(later.auth.currentUser?.uid == "y")
        #expect(try stored(Bench.group, later) == "x")
    }
}
