import SharedAuth
import TestSupport
import Testing

@testable import IdentityToolkit

struct TenantTests {
    @Test("The tenant of Auth is sent with sign-ins, and users belong to that tenant")
    func signIn() async throws {
        let world = FirebaseFixture()
        let auth = try world.app()
        auth.tenantID = "tenant"
        let user = try await auth.createUser(withEmail: "ada@example.com", password: "secret").user
        #expect(user.tenantID == "tenant")
        #expect(world.firebase.last("accounts:signUp")?.json?["tenantId"] == .string("tenant"))
        // Requests with an ID token or a refresh token name no tenant.
        _ = try await user.getIDToken(forcingRefresh: true)
        try await user.reload()
        try await user.updatePassword(to: "newer password")
        #expect(user.tenantID == "tenant")
        for name in ["token", "accounts:lookup", "accounts:update"] {
            #expect(world.firebase.last(name)?.text.contains("tenant") == false)
        }
        try await user.reauthenticate(
            with: EmailAuthProvider.credential(withEmail: "ada@example.com", password: "newer password")
        )
        #expect(world.firebase.last("accounts:signInWithPassword")?.json?["tenantId"] == .string("tenant"))
    }

    @Test("A user of another tenant is not signed in")
    func other() async throws {
        let world = FirebaseFixture()
        let auth = try world.app()
        world.firebase.change("eve", in: "other") { _ in }
        world.firebase.answer("accounts:signInWithCustomToken", try await world.firebase.signedIn("eve"))
        auth.tenantID = "tenant"
        await expectFailure(.tenantIDMismatch) { try await auth.signIn(withCustomToken: "custom-eve") }
        #expect(auth.currentUser == nil)
        let credential = AuthCredential(provider: "custom", content: .customToken("custom-eve"))
        await expectFailure(.tenantIDMismatch) {
            try await world.toolkit().signIn(with: credential, tenantID: "tenant")
        }
    }

    @Test("An e-mail link is for its tenant only and is not used up by another")
    func link() async throws {
        let world = FirebaseFixture()
        let auth = try world.app()
        let link = "https://p.example/action?mode=signIn&oobCode=C&tenantId=other"
        for tenant in ["tenant", nil] {
            auth.tenantID = tenant
            world.firebase.forget()
            await expectFailure(.tenantIDMismatch) { try await auth.signIn(withEmail: "ada@example.com", link: link) }
            #expect(!world.firebase.names.contains("accounts:signInWithEmailLink"))
        }
    }
}
