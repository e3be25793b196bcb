// Fleet: an app whose sign-in is shared with the person's other devices.
//
//     Fleet COMMAND
//
// COMMAND is sign-up, sign-in, show, token or sign-out. The address and the password are read from standard input, one
// per line, because other users can see arguments. FIREBASE_AUTH_EMULATOR_HOST names the stand-in at which users sign
// in. `sharedauth fleet init` or `enrol` makes this device one of the fleet's. `Samples/Fleet/run` plays a story with it.

import Glibc
import IdentityToolkit
import SharedAuth
import SharedAuthFleet

@main
struct App {
    static func main() async {
        guard CommandLine.arguments.count == 2 else {
            print("usage: Fleet COMMAND")
            exit(EX_USAGE)
        }
        do {
            try AuthApp.configure(
                .init(
                    appID: "com.example.Mail",
                    project: "stand-in",
                    identityProvider: .firebase(),
                    store: .fleet(local: .secretService())
                )
            )
            try Auth.auth().useEmulator()
            try Auth.auth().useUserAccessGroup("group.com.example.office")
            try await carryOut(CommandLine.arguments[1])
        } catch {
            print("\(error)")
            exit(EXIT_FAILURE)
        }
    }

    private static func carryOut(_ command: String) async throws(AuthError) {
        let auth = Auth.auth()
        switch command {
        case "sign-up": try await auth.createUser(withEmail: line("address"), password: line("password"))
        case "sign-in": try await auth.signIn(withEmail: line("address"), password: line("password"))
        case "show": break
        case "token":
            guard let user = auth.currentUser else { throw AuthError(.nullUser, "No user is signed in.") }
            _ = try await user.getIDToken(forcingRefresh: true)
            print("has a new ID token")
        case "sign-out": try auth.signOut()
        default: throw AuthError(.internalError, "There is no command \(command).")
        }
        switch await auth.ready() {
        case .signedIn(let user): print("signed in as \(user.uid)")
        case .signedOut: print("signed out")
        case .unknown: print("not known")
        case .locked: print("the keyring is locked")
        case .unavailable(let error), .damaged(let error): print("not available: \(error)")
        }
        if let fleet = try await auth.storeStatus().fleet, fleet.isAway {
            print("the server is away; sign-outs to be carried out: \(fleet.pendingSignOuts)")
        }
    }

    private static func line(_ what: String) throws(AuthError) -> String {
        if let line = readLine(), !line.isEmpty { return line }
        throw AuthError(.internalError, "Standard input has no \(what).")
    }
}
