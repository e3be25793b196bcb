import ArgumentParser
import SharedAuth

/// The program that is started to read the user, and ends.
struct Read: ParsableCommand {
    @Option var state: String

    func run() throws {
        try AuthApp.configure(AuthApp.Options(appID: Bench.appID, stateDirectory: state, hearsPeers: false))
        guard let user = Auth.auth().currentUser else { throw Failure("nobody is signed in") }
        print(user.uid)
    }
}
