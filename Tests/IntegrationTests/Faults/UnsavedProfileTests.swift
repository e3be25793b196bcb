import SecretService
import SharedAuth
import TestSupport
import Testing

/// A profile that the keyring does not take is nobody's profile.
struct UnsavedProfileTests {
    @Test("A profile change or reload that cannot be saved leaves the user as they were", arguments: [true, false])
    func unsaved(isChange: Bool) async throws {
        let fault = Fault()
        let app = try await TestApp.signedIn("x", interceptor: fault.interceptor)
        let user = try #require(app.auth.currentUser)
        app.identity.setProfile(UserProfile(uid: "x", displayName: "New"))
        let change = user.createProfileChangeRequest()
        change.displayName = "New"
        fault.fail("CreateItem", as: .noProvider)
        await expectFailure(.keyringUnavailable) {
            if isChange { try await change.commitChanges() } else { try await user.reload() }
        }
        #expect(user.displayName == nil)
        #expect(try app.auth.getStoredUser(forAccessGroup: nil)?.displayName == nil)

        if isChange { try await change.commitChanges() } else { try await user.reload() }
        #expect(user.displayName == "New")
        #expect(try app.auth.getStoredUser(forAccessGroup: nil)?.displayName == "New")
    }
}
