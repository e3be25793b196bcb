import Dispatch
import Glibc
import SharedAuth

/// The smallest app, linked only to SharedAuth, and measured like a desktop app.
///
///     BenchmarkApp read ID STATE-DIRECTORY           prints the current user's uid, and ends
///     BenchmarkApp watch ID STATE-DIRECTORY          prints a line for each change of the current user
///     BenchmarkApp listen ID STATE-DIRECTORY GROUP   the same in a group, each line being the time in nanoseconds
@main
struct App {
    static func main() throws {
        let arguments = CommandLine.arguments
        guard arguments.count >= 4 else { exit(64) }
        let verb = arguments[1]
        let isReader = verb == "read"
        try AuthApp.configure(
            AuthApp.Options(
                appID: arguments[2],
                listenerExecutor: .dispatchQueue(DispatchQueue(label: "app")),
                stateDirectory: arguments[3],
                observesOtherProcesses: !isReader
            )
        )
        let auth = Auth.auth()
        if isReader {
            guard let user = auth.currentUser else { exit(1) }
            return print(user.uid)
        }
        if arguments.count == 5 { try auth.useUserAccessGroup(arguments[4]) }
        let tellsTime = verb == "listen"
        // A nonisolated function: a closure here would be isolated to the main actor and wait for a main loop, and none
        // runs.
        let tell: @Sendable (Auth, User?) -> Void = { _, user in
            print(tellsTime ? "\(DispatchTime.now().uptimeNanoseconds)" : user?.uid ?? "no user")
            fflush(nil)
        }
        _ = auth.addStateDidChangeListener(tell)
        while true { pause() }
    }
}
