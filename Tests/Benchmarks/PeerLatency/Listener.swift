import Dispatch
import Glibc
import SharedAuth

/// The process that listens: it prints when it heard, on the clock that all processes of a machine share.
enum Listener {
    static func run(stateDirectory: String) throws {
        let queue = DispatchQueue(label: "listener")
        try AuthApp.configure(
            AuthApp.Options(
                appID: "com.example.Listener",
                listenerExecutor: .dispatchQueue(queue),
                stateDirectory: stateDirectory
            )
        )
        try Auth.auth().useUserAccessGroup(PeerLatency.group)
        _ = Auth.auth().addStateDidChangeListener { _, user in
            let now = DispatchTime.now().uptimeNanoseconds
            print(user == nil ? "ready" : "\(now)")
            fflush(nil)
        }
        DispatchSemaphore(value: 0).wait()
    }
}
