// Fleet: an app whose sign-in is shared with the person's other devices.
//
//     Fleet sign-in | show | token | sign-out
//
// FLEET_ISSUER is the OpenID provider at which users sign in, with a code that they enter in a browser on any machine.
// `sharedauth fleet init` or `enrol` makes this device one of the fleet's. `Samples/Fleet/run` plays a story with it.

import Glibc
import OpenIDConnect
import SharedAuth
import SharedAuthFleet

@main
struct App {
    static func main() async {
        guard CommandLine.arguments.count == 2, let issuer = unsafe getenv("FLEET_ISSUER") else {
            print("usage: FLEET_ISSUER=URL Fleet sign-in | show | token | sign-out")
            exit(EX_USAGE)
        }
        let client = OpenIDClient(issuerURL: unsafe String(cString: issuer), clientID: "office", scopes: ["openid"])
        let provider = OpenIDConnect(client)
        do {
            try AuthApp.configure(
                .init(
                    appID: "com.example.Mail",
                    accessGroup: "group.com.example.office",
                    identityProvider: .openIDConnect(provider),
                    store: .fleet(local: .secretService())
                )
            )
            try await carryOut(CommandLine.arguments[1], at: provider)
        } catch {
            print("\(error)")
            exit(EXIT_FAILURE)
        }
    }

    private static func carryOut(_ command: String, at provider: OpenIDConnect) async throws(AuthError) {
        let auth = Auth.auth()
        switch command {
        case "sign-in":
            try await auth.signIn(
                with: DeviceSignIn(provider) { code in
                    print("open \(code.verificationURL) and enter the code \(code.userCode)")
                    fflush(nil)
                }
            )
        case "show": break
        case "token":
            guard let user = auth.currentUser else { throw AuthError(.nullUser, "No user is signed in.") }
            _ = try await user.getIDToken(forcingRefresh: true)
            print("has a new ID token")
        case "sign-out": try await auth.signOut(timeout: .seconds(5))
        default: throw AuthError(.internalError, "There is no command \(command).")
        }
        switch await auth.ready() {
        case .signedIn(let user): print("signed in as \(user.uid)")
        case .signedOut: print("signed out")
        case .unknown: print("not known")
        case .locked: print("the keyring is locked")
        case .unavailable(let error), .damaged(let error): throw error
        }
        if let fleet = try await auth.storeStatus().fleet, fleet.isAway {
            print("the server is away; sign-outs to be carried out: \(fleet.pendingSignOuts)")
        }
    }
}
