import ArgumentParser
import Dispatch
import Glibc
import SharedAuth

/// The process that listens: it prints when it heard, on the clock that all processes of a machine share.
struct Listen: ParsableCommand {
    @Option var state: String

    func run() throws {
        let queue = DispatchQueue(label: "listener")
        try AuthApp.configure(
            AuthApp.Options(
                appID: "com.example.Listener",
                listenerExecutor: .dispatchQueue(queue),
                stateDirectory: state
            )
        )
        try Auth.auth().useUserAccessGroup(Bench.groups[0])
        _ = Auth.auth().addStateDidChangeListener { _, _ in
            print(Stopwatch.now)
            fflush(nil)
        }
        DispatchSemaphore(value: 0).wait()
    }
}
