import SecretService
import TestSupport
import Testing

@testable import SharedAuth

/// Tests migrations on a daemon that may lose acknowledged writes. The scripted daemon is not known to be durable.
struct OriginalTests {
    private static let appID = "com.example.Mail"

    /// Returns the uid stored in a group's slot, or in the app's own slot if `group` is nil.
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

    @Test("The original remains if the copy is lost")
    func lostCopy() async throws {
        let bench = try Fake().bench
        _ = try await migrated(on: bench)
        // The state that KWallet leaves after a crash.
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

    @Test("Every way to sign out also removes the original", arguments: Leaving.allCases)
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
                Issue.record("the request did not fail")
            } catch {
                #expect(error.code == .userTokenExpired)
            }
        }
        #expect(app.auth.currentUser == nil)
        #expect(try stored(nil, app) == nil)
        #expect(try stored(Bench.group, app) == nil)
    }

    @Test("On a durable daemon, the original is deleted immediately")
    func durableDaemon() async throws {
        let keyring = try PrivateKeyring()
        defer { keyring.shutdown() }
        let app = try await migrated(on: Bench(keyring))
        #expect(try stored(nil, app) == nil)
        #expect(try await app.auth.storeStatus().isDurable == true)
    }

    @Test("An original that has changed or is in use again is not deleted")
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
