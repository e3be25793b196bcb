// Firebase: an app whose users are at Firebase or at its stand-in.
//
//     Firebase Mail|Calendar COMMAND
//
// COMMAND is sign-up, sign-in, show, token, change-password, send-reset, finish-reset, sign-out, delete or watch.
// Addresses and passwords are read from standard input, one per line, because other users can see arguments. The API
// key is FIREBASE_API_KEY; FIREBASE_AUTH_EMULATOR_HOST names a stand-in. `Samples/Firebase/run` plays a story with it.

import Glibc
import IdentityToolkit
import SharedAuth

@main
struct Firebase {
    static func main() async {
        guard CommandLine.arguments.count == 3 else {
            print("usage: Firebase Mail|Calendar COMMAND")
            exit(EX_USAGE)
        }
        let app = App(name: CommandLine.arguments[1])
        do {
            try app.configure()
            try await app.carryOut(CommandLine.arguments[2])
        } catch {
            app.say("\(error)")
            exit(EXIT_FAILURE)
        }
    }
}

/// One of the apps that share a user.
struct App {
    let name: String

    func say(_ text: String) {
        print("\(name): \(text)")
        // Write each line immediately, also to a pipe.
        fflush(nil)
    }

    func configure() throws(AuthError) {
        let apiKey = unsafe getenv("FIREBASE_API_KEY").map { unsafe String(cString: $0) } ?? "stand-in"
        try AuthApp.configure(
            .init(
                appID: "com.example.\(name)",
                accessGroup: "group.com.example.office",
                project: apiKey,
                identityProvider: .firebase()
            )
        )
        try Auth.auth().useEmulator()
    }

    func carryOut(_ command: String) async throws(AuthError) {
        let auth = Auth.auth()
        switch command {
        case "sign-up":
            try await auth.createUser(withEmail: line("address"), password: line("password"))
            try await show()
        case "sign-in":
            try await auth.signIn(withEmail: line("address"), password: line("password"))
            try await show()
        case "show":
            try await show()
        case "token":
            let result = try await user().getIDTokenResult(forcingRefresh: true)
            say("an ID token of project \(result.claims["aud"] as? String ?? "none"), by \(result.signInProvider)")
        case "change-password":
            try await user().updatePassword(to: line("password"))
            say("the password is changed")
        case "send-reset":
            try await auth.sendPasswordReset(withEmail: line("address"))
            say("a mail is on its way")
        case "finish-reset":
            try await auth.confirmPasswordReset(withCode: line("code"), newPassword: line("password"))
            say("the password is changed")
        case "sign-out":
            try auth.signOut()
            try await show()
        case "delete":
            try await user().delete()
            try await show()
        case "watch":
            for await user in auth.authStateChanges { say("signed in as \(user?.uid ?? "nobody")") }
        default:
            throw AuthError(.internalError, "There is no command \(command).")
        }
    }

    /// Prints the user who is signed in according to the keyring and Firebase.
    private func show() async throws(AuthError) {
        switch await Auth.auth().ready() {
        case .signedIn(let user):
            try await user.reload()
            say("signed in as \(user.uid)")
        case .signedOut: say("signed in as nobody")
        case let state: say("it is not known who is signed in: \(state)")
        }
    }

    private func user() throws(AuthError) -> User {
        if let user = Auth.auth().currentUser { return user }
        throw AuthError(.nullUser, "No user is signed in.")
    }

    private func line(_ what: String) throws(AuthError) -> String {
        if let line = readLine(), !line.isEmpty { return line }
        throw AuthError(.internalError, "Standard input has no \(what).")
    }
}
