// Notes: an app that began alone, and has a user of its own to bring along when it joins the access group.
//
//     Notes sign-in | show | join | leave | migrate
//
// `join` only switches, and the own user is gone, as in Firebase. `migrate` takes the documented steps.

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

    /// Takes the current user along into the access group.
    static func migrate(_ auth: Auth) async throws(AuthError) {
        guard let user = auth.currentUser else { return tell("nobody to bring along") }

        // Is there somebody already? Then an app would ask the person which user to keep.
        if let other = try auth.getStoredUser(forAccessGroup: group) { return tell("the group has user \(other.uid)") }

        _ = auth.addStateDidChangeListener { _, user in tell("the listener heard \(user?.uid ?? "nobody")") }
        try auth.useUserAccessGroup(group)
        // The completion handler is called after the listeners, so that all of them have been heard here.
        let failure = await withCheckedContinuation { continuation in
            auth.updateCurrentUser(user) { error in continuation.resume(returning: error) }
        }
        if let failure { throw failure }
    }

    static func tell(_ line: String) {
        print("Notes: \(line)")
    }
}
