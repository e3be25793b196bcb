internal import ArgumentParser
internal import Dispatch
internal import SharedAuth

/// Prints announcements until it is interrupted.
struct Watch: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "watch",
        abstract: "Print who is signed in, and again whenever that changes, in any app of the access group.",
        discussion: "One line each, until SIGINT or SIGTERM; then the exit status is 0."
    )

    @OptionGroup(title: "Options for all verbs") var app: AppOptions

    func run() async throws {
        let interruption = Interruption()
        // One queue for listeners of both kinds keeps their lines in order.
        var configuration = try app.configuration()
        configuration.hearsPeers = true
        configuration.listenerExecutor = .dispatchQueue(DispatchQueue(label: "sharedauth.watch"))
        let auth = Auth.auth(app: try AuthApp.configure(configuration))
        let state = await auth.ready()
        if let failure = state.failure(in: auth.userAccessGroup) {
            try Announcement(.authState, nil, state: state).print(asJSON: app.json)
            throw failure
        }
        let printer = AnnouncementPrinter(asJSON: app.json)
        let handles = (
            auth.addStateDidChangeListener { printer.authState($1) },
            auth.addIDTokenDidChangeListener { printer.idToken($1) }
        )
        await interruption.wait()
        auth.removeStateDidChangeListener(handles.0)
        auth.removeIDTokenDidChangeListener(handles.1)
    }
}
