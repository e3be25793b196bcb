import LocalIdentity
import SharedAuth

@main
struct Hello {
    static func main() async {
        do {
            try AuthApp.configure(.init(appID: "com.example.Mail", identityProvider: .local))
            let auth = Auth.auth()
            try auth.useUserAccessGroup("group.com.example.office")
            if auth.currentUser == nil { try await auth.signInAnonymously() }
            for await user in auth.authStateChanges { print(user?.uid ?? "signed out") }
        } catch { print(error) }
    }
}
