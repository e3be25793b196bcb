// SingleSignOn: when an app is signed in because another one is, with Adobe Pass tokens.
//
//     SingleSignOn [--keyring]
//
// It plays the four stories of apps of one or two teams, and says at each step what happens and why. The apps are real
// identities, each with its own way to the store and its own view of the device; the tokens are signed by a stand-in for
// Adobe's server. They are kept in memory or, with --keyring, in the session's keyring, until a story is over:
// `Samples/single-sign-on` plays that on a keyring of its own.

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
