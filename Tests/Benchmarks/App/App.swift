import Dispatch
import Glibc
import SharedAuth

/// The smallest app: linked to SharedAuth and nothing else, as a desktop app is measured.
///
///     BenchmarkApp read ID STATE-DIRECTORY           prints the current user's uid, and ends
///     BenchmarkApp watch ID STATE-DIRECTORY          prints a line for each change of the current user
///     BenchmarkApp listen ID STATE-DIRECTORY GROUP   the same in a group, each line being the time in nanoseconds
@main
struct App {
    // Not of the main actor, whose listeners would wait for a main loop that this program does not run.
    nonisolated static func main() throws {
        let arguments = CommandLine.arguments
        guard arguments.count >= 4 else { exit(64) }
        let verb = arguments[1]
        let isReader = verb == "read"
        try AuthApp.configure(
            AuthApp.Options(
                appID: arguments[2],
                listenerExecutor: .dispatchQueue(DispatchQueue(label: "app")),
                stateDirectory: arguments[3],
                hearsPeers: !isReader
            )
        )
        let auth = Auth.auth()
        if isReader {
            guard let user = auth.currentUser else { exit(1) }
            return print(user.uid)
        }
        if arguments.count == 5 { try auth.useUserAccessGroup(arguments[4]) }
        let tellsTime = verb == "listen"
        _ = auth.addStateDidChangeListener { _, user in
            print(tellsTime ? "\(DispatchTime.now().uptimeNanoseconds)" : user?.uid ?? "nobody")
            fflush(nil)
        }
        while true { pause() }
    }
}
