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
    try AuthApp.configure(
        .init(appID: "com.example.Calendar", accessGroup: "group.com.example.office", identityProvider: .local)
    )
    let auth = Auth.auth()

    if CommandLine.arguments.dropFirst().first == "watch" {
        for await user in auth.authStateChanges { tell(user) }
    } else {
        switch await auth.ready() {
        case .signedIn(let user): tell(user)
        case .signedOut: tell(nil)
        case let state:
            print("Calendar: it is not known who is signed in: \(state)")
            exit(EXIT_FAILURE)
        }
    }
} catch {
    print("Calendar: \(error)")
    exit(EXIT_FAILURE)
}
