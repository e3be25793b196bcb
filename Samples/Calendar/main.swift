// Calendar: another app of the access group, in another process. It never signs in by itself: a user who signs in to
// Mail is signed in here.
//
//     Calendar show | watch
//
// It uses Swift concurrency; `watch` runs until it is interrupted.

import Glibc
import LocalIdentity
import SharedAuth

func tell(_ user: User?) {
    print("Calendar: signed in as \(user?.uid ?? "nobody")")
    // Write each line immediately, also to a pipe.
    fflush(nil)
}

do {
    try AuthApp.configure(.init(appID: "com.example.Calendar", identityProvider: .local))
    let auth = Auth.auth()
    try auth.useUserAccessGroup("group.com.example.office")

    if CommandLine.arguments.dropFirst().first == "watch" {
        for await user in auth.authStateChanges { tell(user) }
    } else {
        tell(auth.currentUser)
    }
} catch {
    print("Calendar: \(error)")
    exit(EXIT_FAILURE)
}
