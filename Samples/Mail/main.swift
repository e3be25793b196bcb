// Mail: an app that shares its user with the other apps of the access group.
//
//     Mail sign-in | sign-out | show
//
// It signs in and out with completion handlers, as Firebase's guides do. Run it together with Calendar.

import Dispatch
import Glibc
import LocalIdentity
import SharedAuth

func finish(_ line: String, status: Int32 = EXIT_SUCCESS) -> Never {
    print("Mail: \(line)")
    exit(status)
}

do {
    try AuthApp.configure(.init(appID: "com.example.Mail", identityProvider: .local))
    try Auth.auth().useUserAccessGroup("group.com.example.office")

    switch CommandLine.arguments.dropFirst().first {
    case "sign-in":
        Auth.auth().signInAnonymously { result, error in
            if let error { finish("could not sign in: \(error)", status: EXIT_FAILURE) }
            finish("signed in as \(result?.user.uid ?? "nobody")")
        }
    case "sign-out":
        try Auth.auth().signOut()
        finish("signed out")
    default:
        finish("signed in as \(Auth.auth().currentUser?.uid ?? "nobody")")
    }
} catch {
    finish("\(error)", status: EXIT_FAILURE)
}

// Runs the main queue; a graphical app already has a main loop.
dispatchMain()
