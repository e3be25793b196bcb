import Foundation
import LocalIdentity
import SharedAuth

@main
struct Start {
    static func main() async {
        do throws(AuthError) {
            let auth = Auth.auth(
                app: try AuthApp.configure(
                    .init(
                        appID: "com.example.StartTool",
                        accessGroup: "group.com.example.start",
                        identityProvider: .local
                    )
                )
            )
            if case .locked = await auth.ready() { try await auth.unlock() }
            switch CommandLine.arguments.dropFirst().first {
            case "sign-in": try await auth.signInAnonymously()
            case "sign-out": try await auth.signOut(timeout: .seconds(5))
            case "watch": for await user in auth.authStateChanges { print(user?.uid ?? "not signed in") }
            default: break
            }
            switch await auth.ready() {
            case .signedIn(let user): print(user.uid)
            case .signedOut: print("not signed in")
            case .unknown, .locked: print("the keyring cannot be read")
            case .unavailable(let error), .damaged(let error): throw error
            }
        } catch {
            print(error.localizedDescription)
            exit(1)
        }
    }
}
