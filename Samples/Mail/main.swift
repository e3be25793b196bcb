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
    try AuthApp.configure(
        .init(appID: "com.example.Mail", accessGroup: "group.com.example.office", identityProvider: .local)
    )

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
        // Waits for the keyring. Only the state `signedOut` means that nobody is signed in.
        if let user = Auth.auth().currentUser { finish("signed in as \(user.uid)") }
        if case .signedOut = Auth.auth().state { finish("signed in as nobody") }
        finish("it is not known who is signed in: \(Auth.auth().state)", status: EXIT_FAILURE)
    }
} catch {
    finish("\(error)", status: EXIT_FAILURE)
}

// Runs the main queue; a graphical app already has a main loop.
dispatchMain()
