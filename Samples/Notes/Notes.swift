// Notes: an app with its own user, whom it moves to the access group when it joins.
//
//     Notes sign-in | show | join | leave | migrate
//
// `join` starts in the group, which signs out the user in the app's own slot, as a switch does in Firebase. `migrate`
// follows the documented steps.

import Glibc
import LocalIdentity
import SharedAuth

@main
struct Notes {
    static let group = "group.com.example.office"

    static func main() async {
        do {
            let command = CommandLine.arguments.dropFirst().first
            // Without a group, the app uses the slot that it chose last.
            let group = command == "join" ? group : nil
            try AuthApp.configure(.init(appID: "com.example.Notes", accessGroup: group, identityProvider: .local))
            let auth = Auth.auth()
            switch command {
            case "sign-in": try await auth.signInAnonymously()
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
