import LocalIdentity
import SharedAuth

@main
struct Hello {
    static func main() async {
        do {
            try AuthApp.configure(
                .init(appID: "com.example.Mail", accessGroup: "group.com.example.office", identityProvider: .local)
            )
            let auth = Auth.auth()
            if auth.currentUser == nil { try await auth.signInAnonymously() }
            for await user in auth.authStateChanges { print(user?.uid ?? "signed out") }
        } catch { print(error) }
    }
}
