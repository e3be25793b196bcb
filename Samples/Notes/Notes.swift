// Notes: an app with its own user, whom it moves to the access group when it joins.
//
//     Notes sign-in | show | join | leave | migrate
//
// `join` only switches, and deletes the user in the app's own slot, as in Firebase. `migrate` follows the documented
// steps.

import Glibc
import LocalIdentity
import SharedAuth

@main
struct Notes {
    static let group = "group.com.example.office"

    static func main() async {
        do {
            try AuthApp.configure(.init(appID: "com.example.Notes", identityProvider: .local))
            let auth = Auth.auth()
            switch CommandLine.arguments.dropFirst().first {
            case "sign-in": try await auth.signInAnonymously()
            case "join": try auth.useUserAccessGroup(group)
            case "leave": try auth.useUserAccessGroup(nil)
            case "migrate": try await migrate(auth)
            default: break
            }
            tell("signed in as \(auth.currentUser?.uid ?? "nobody") in \(auth.userAccessGroup ?? "its own slot")")
        } catch {
            tell("\(error)")
            exit(EXIT_FAILURE)
        }
    }

    /// Moves the current user to the access group.
    static func migrate(_ auth: Auth) async throws(AuthError) {
        guard let user = auth.currentUser else { return tell("nobody to bring along") }

        // If the group already has a user, an app would ask which user to keep.
        if let other = try auth.getStoredUser(forAccessGroup: group) { return tell("the group has user \(other.uid)") }

        _ = auth.addStateDidChangeListener { _, user in tell("the listener heard \(user?.uid ?? "nobody")") }
        try auth.useUserAccessGroup(group)
        // The completion handler is called after the listeners, so all of them have been called by then.
        let failure = await withCheckedContinuation { continuation in
            auth.updateCurrentUser(user) { error in continuation.resume(returning: error) }
        }
        if let failure { throw failure }
    }

    static func tell(_ line: String) {
        print("Notes: \(line)")
    }
}
