// SingleSignOn: shows when a sign-in in one app signs in another app, with Adobe Pass tokens.
//
//     SingleSignOn [--keyring]
//
// It plays four stories of apps of one or two teams, and prints at each step what happens and why. The apps have real
// identities, each with its own access to the store and its own device id; a stand-in for Adobe's server signs the
// tokens. They are kept in memory or, with --keyring, in the session's keyring, until a story is over:
// `Samples/single-sign-on` uses a private keyring for that.

import Glibc
import PassAuth
import SecretService
import SharedAuth

@main
struct SingleSignOn {
    static func main() {
        do {
            let isInKeyring = CommandLine.arguments.dropFirst().contains("--keyring")
            let stage = Stage(
                store: isInKeyring ? SecretServiceRecordStore(SecretService()) : InMemoryRecordStore(),
                server: try StandInServer()
            )
            print("Tokens are kept in \(isInKeyring ? "the keyring" : "memory").")
            for scenario in Scenario.all { try stage.play(scenario) }
        } catch {
            print("SingleSignOn: \(error)")
            exit(EXIT_FAILURE)
        }
    }
}
