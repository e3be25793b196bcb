import Foundation
import LocalIdentity
import SharedAuth

@main
struct Start {
    static func main() async {
        do throws(AuthError) {
            let auth = Auth.auth(
                app: try AuthApp.configure(.init(appID: "com.example.StartTool", identityProvider: .local))
            )
            try await auth.useUserAccessGroup("group.com.example.start", timeout: .seconds(5))
            switch CommandLine.arguments.dropFirst().first {
            case "sign-in": try await auth.signInAnonymously()
            case "sign-out": try await auth.signOut(timeout: .seconds(5))
            case "watch": for await user in auth.authStateChanges { print(user?.uid ?? "not signed in") }
            default: break
            }
            print(auth.currentUser?.uid ?? "not signed in")
        } catch {
            print(error.localizedDescription)
            exit(1)
        }
    }
}
