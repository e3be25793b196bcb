import TestSupport
import Testing

@testable import SharedAuth

/// Users of another tenant than the app has set.
struct TenantTests {
    private let app = MemoryApp()

    /// Returns an anonymous user of no tenant.
    private var anonymous: Account {
        var account = app.account("a")
        account.profile.isAnonymous = true
        return account
    }

    @Test("Setting the tenant leaves the current user signed in until a sign-out")
    func staysShown() async throws {
        let auth = try await app.start(signingIn: "x")
        let user = try #require(auth.currentUser)
        auth.tenantID = "t"
        _ = try await user.getIDToken(forcingRefresh: true)
        #expect(auth.currentUser === user)
        // A peer refreshes.
        try app.put(app.account("x", "peer", lasting: 7200), in: .own)
        _ = auth.engine.rereadSlot()
        #expect(auth.currentUser === user)
        try await auth.signOut(timeout: .patience)
        #expect(auth.currentUser == nil)
        #expect(try app.revision(of: .own) == nil)
    }

    @Test("A hidden anonymous user of another tenant is not replaced")
    func hiddenAnonymous() async throws {
        let auth = try app.start()
        auth.tenantID = "t"
        try app.put(anonymous, in: .own)
        _ = auth.engine.rereadSlot()
        #expect(auth.currentUser == nil)
        await expectFailure(.tenantIDMismatch) { try await auth.signInAnonymously() }
        #expect(auth.currentUser == nil)
        #expect(try app.users(in: .own) == ["a"])
        // With the user's tenant, the user is adopted. The script has no other user.
        auth.tenantID = nil
        #expect(try await auth.signInAnonymously().user.uid == "a")
        #expect(auth.currentUser?.uid == "a")
    }

    @Test("An anonymous user of another tenant signed in meanwhile is not replaced")
    func anonymousMeanwhile() async throws {
        let auth = try app.start()
        auth.tenantID = "t"
        let anonymous = anonymous
        app.before(.check, of: .own) { [app] in try app.put(anonymous, in: .own) }
        app.identity.expect(.scripted("b", anonymous: true, tenantID: "t"))
        await expectFailure(.tenantIDMismatch) { try await auth.signInAnonymously() }
        #expect(auth.currentUser == nil)
        #expect(try app.users(in: .own) == ["a"])
    }

    @Test("A user hidden because of the tenant is shown once the app chooses that user")
    func chosen() async throws {
        let auth = try app.start()
        auth.tenantID = "t"
        try app.put("x", in: .own)
        _ = auth.engine.rereadSlot()
        #expect(auth.currentUser == nil)
        await expectFailure(.tenantIDMismatch) { try await auth.switchCurrentUser(toUID: "x") }
        auth.tenantID = nil
        try await auth.switchCurrentUser(toUID: "x")
        #expect(auth.currentUser?.uid == "x")
    }
}
