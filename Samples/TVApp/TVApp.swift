// TVApp: a television in the terminal that signs in with a TV provider and plays.
//
//     TVApp watch CHANNEL [--app news|sport] [--screen browser|scheme|code]
//     TVApp status [--app news|sport]
//     TVApp sign-out [--app news|sport]
//     TVApp open ADDRESS
//
// News and Sport are two apps of a team: a sign-in in one signs in both. The server is a stand-in, PassStandIn, whose
// address is in TVAPP_SERVER and whose software statement is in TVAPP_STATEMENT. `Samples/TVApp/run` starts it and
// plays the whole story. The desktop runs `TVApp open` when a page redirects to an address of the app's own scheme.

import Glibc
import PassAuth

@main
struct TVApp {
    static func main() async {
        do {
            let call = try Call(CommandLine.arguments.dropFirst())
            if case .open(let address) = call.verb { return try SchemeScreen.hand(over: address) }
            let television = try Television(call)
            switch call.verb {
            case .watch(let channel): try await television.watch(channel)
            case .status: try await television.sayWhoIsSignedIn()
            case .signOut: try await television.signOut()
            case .open: break
            }
        } catch {
            say("TVApp: \(error)")
            exit((error as? Trouble)?.status ?? EXIT_FAILURE)
        }
    }
}

/// Prints a line immediately, also to a pipe.
func say(_ line: String) {
    print(line)
    fflush(nil)
}

/// A usage error, or a failure.
struct Trouble: Error, CustomStringConvertible {
    let description: String
    /// The program's exit status.
    let status: Int32

    init(_ description: String, status: Int32 = EXIT_FAILURE) {
        (self.description, self.status) = (description, status)
    }
}
