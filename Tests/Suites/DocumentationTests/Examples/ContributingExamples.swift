import SharedAuth
import TestSupport
import Testing

// The code of the article "Contributing".

struct ContributingExampleTests {
    // example
    @Test("Signing out in one app signs the user out of the other")
    func signOutReachesTheOtherApp() async throws {
        let group = "group.com.example.office"
        let mail = try await TestApp.signedIn("u1", in: group)
        let calendar = try TestApp(mail.world, appID: "com.example.Calendar")

        try mail.auth.signOut()
        #expect(try calendar.stored(group) == nil)
    }
    // end of example
}
