internal import ArgumentParser
internal import CommandLineSupport
internal import Dispatch
internal import SharedAuth

/// Prints announcements until it is interrupted.
struct Watch: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "watch",
        abstract: "Print who is signed in, and again whenever that changes, in any app of the access group.",
        discussion: """
            One line each, until SIGINT or SIGTERM, or until the reader closes the output; then the exit status is 0. It is 69 \
            when the session ends, i.e. the directory of the bus socket goes. If changes cannot be observed, that is said once on \
            standard error.
            """
    )

    @OptionGroup(title: "Options for all verbs") var app: AppOptions

    func run() throws {
        ProcessEnd.expectInterruption()
        let store = try app.store.recordStore()
        let busDirectory = store.kind == .secretService ? BusDirectory() : nil
        let end: @Sendable (ExitCondition) -> Void = { condition in
            switch condition {
            case .readerGone:
                ProcessEnd.now(.success)
            case .sessionOver(let directory):
                ProcessEnd.now(
                    .unavailable,
                    saying: "\(directory), where the message bus was, is gone: the session has ended."
                )
            }
        }
        ExitCondition.observe(busDirectory, report: end)
        // One queue for listeners of both kinds keeps their lines in order.
        var configuration = try app.configuration(on: store)
        configuration.observesOtherProcesses = true
        configuration.listenerExecutor = .dispatchQueue(DispatchQueue(label: "sharedauth.watch"))
        let auth = Auth.auth(app: try AuthApp.configure(configuration))
        let state = auth.loadedState
        if let failure = state.failure(in: auth.userAccessGroup) {
            try Announcement(.authState, nil, state: state).print(asJSON: app.json)
            throw failure
        }
        let observation = ChangeObservation(store, timeout: configuration.timeout)
        observation.begin {
            if let busDirectory, busDirectory.isGone { return end(.sessionOver(directory: busDirectory.path)) }
            observation.warn("The connection to \(busDirectory == nil ? "the store" : "the message bus") was lost.")
        }
        let printer = AnnouncementPrinter(asJSON: app.json)
        let handles = (
            auth.addStateDidChangeListener { printer.authState($1) },
            auth.addIDTokenDidChangeListener { printer.idToken($1) }
        )
        withExtendedLifetime((observation, handles)) { waitForever() }
    }

    private func waitForever() -> Never {
        while true { DispatchSemaphore(value: 0).wait() }
    }
}
