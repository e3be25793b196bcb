import Dispatch
import Synchronization
import TestSupport
import Testing

@testable import SharedAuth

/// Tests what sign-ins store, announce and return.
struct SignInTests {
    static let group = "group.example.signin"

    @Test("A sign-in is stored in the current slot, announced once, and replaces its user", arguments: [nil, group])
    func replaces(group: String?) async throws {
        let world = try AppFixture()
        let app = try TestApp(world)
        try app.auth.useUserAccessGroup(group)
        _ = app.announcements()
        let x = try await app.signIn("x")
        #expect(app.announcements() == .both("x"))
        #expect(app.auth.currentUser === x)
        let y = try await app.signIn("y")
        #expect(app.announcements() == .both("y"))
        #expect(app.auth.currentUser === y)
        #expect(try await app.auth.storedUsers(inAccessGroup: group).map(\.uid) == ["y"])
        #expect(try world.items().count == 1)
    }

    @Test("Signing in again makes a new object; only ID token listeners get the new token")
    func sameUser() async throws {
        let world = try AppFixture()
        let app = try TestApp(world)
        let grant = IdentityGrant.scripted("x")
        app.identity.expect(grant)
        let first = try await app.auth.signIn(withEmail: "person@example.com", password: "password").user
        _ = app.announcements()
        let before = try world.contents()

        app.identity.expect(grant)
        let second = try await app.auth.signIn(withEmail: "person@example.com", password: "password").user
        #expect(second !== first)
        #expect(app.auth.currentUser === second)
        #expect(app.announcements().isEmpty)
        #expect(try world.contents() != before)

        let third = try await app.signIn("x", "2")
        #expect(app.auth.currentUser === third)
        #expect(app.announcements() == .token("x"))
    }

    @Test("If an accepted sign-in cannot be stored, nothing changes", arguments: [nil, group])
    func unsaved(group: String?) async throws {
        let world = try AppFixture()
        let fault = Fault()
        let app = try await TestApp.signedIn("x", in: group, world, interceptor: fault.interceptor)
        let x = try #require(app.auth.currentUser)
        let before = try world.contents()
        fault.fail("CreateItem")
        app.identity.expect(.scripted("y"))
        await expectFailure(.keychainError) {
            _ = try await app.auth.signIn(withEmail: "person@example.com", password: "password")
        }
        #expect(app.auth.currentUser === x)
        #expect(app.announcements().isEmpty)
        #expect(try world.contents() == before)
    }

    @Test("A sign-in that the identity provider rejects changes nothing")
    func refused() async throws {
        let world = try AppFixture()
        let app = try await TestApp.signedIn("x", world)
        let x = try #require(app.auth.currentUser)
        let before = try world.contents()
        for code in [AuthErrorCode.wrongPassword, .userTokenExpired, .userDisabled] {
            app.identity.fail(code)
            await expectFailure(code) {
                _ = try await app.auth.signIn(withEmail: "person@example.com", password: "password")
            }
        }
        #expect(app.auth.currentUser === x)
        #expect(app.announcements().isEmpty)
        #expect(try world.contents() == before)
    }

    @Test("The completion handler is called after the listeners")
    func order() async throws {
        let app = try TestApp(AppFixture(), listens: false)
        let log = Mutex<[String]>([])
        #expect(app.auth.currentUser == nil)
        _ = app.auth.addStateDidChangeListener { _, user in log.withLock { $0.append("state \(user?.uid ?? "nil")") } }
        _ = app.auth.addIDTokenDidChangeListener { _, user in log.withLock { $0.append("token \(user?.uid ?? "nil")") }
        }
        app.identity.expect(.scripted("x"))
        await withCheckedContinuation { continuation in
            app.auth.signIn(withEmail: "person@example.com", password: "password") { result, error in
                log.withLock { $0.append("completion \(result?.user.uid ?? "nil") \(error?.code.rawValue ?? 0)") }
                continuation.resume()
            }
        }
        #expect(log.withLock { $0 } == ["state nil", "token nil", "state x", "token x", "completion x 0"])
    }

    @Test("A user of a tenant other than the chosen one is not signed in", arguments: ["u", nil])
    func otherTenant(tenantID: String?) async throws {
        let world = try AppFixture()
        let app = try TestApp(world)
        app.auth.tenantID = "t"
        let x = try await app.signIn("x", tenantID: "t")
        _ = app.announcements()
        let before = try world.contents()
        app.identity.expect(.scripted("y", tenantID: tenantID))
        await expectFailure(.tenantIDMismatch) {
            _ = try await app.auth.signIn(withEmail: "person@example.com", password: "password")
        }
        #expect(app.auth.currentUser === x)
        #expect(app.announcements().isEmpty)
        #expect(try world.contents() == before)
    }

    @Test("Until a tenant is chosen, it follows the signed-in user")
    func tenantFollows() async throws {
        let app = try TestApp(AppFixture())
        try await app.signIn("x", tenantID: "t")
        #expect(app.auth.tenantID == "t")
        try await app.signIn("y")
        #expect(app.auth.tenantID == nil)
    }

    @Test("The next sign-in uses the tenant of the user restored at start")
    func tenantRestored() async throws {
        let world = try AppFixture()
        try await TestApp(world).signIn("x", tenantID: "t")
        let app = try TestApp(world)
        try await app.signIn("y", tenantID: "t")
        #expect(app.identity.lastTenant == "t")
        #expect(app.auth.tenantID == "t")
        try await app.signIn("z")
        #expect(app.identity.lastTenant == "t")
        #expect(app.auth.tenantID == nil)
    }
}
