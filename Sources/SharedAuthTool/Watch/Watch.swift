internal import ArgumentParser
internal import CommandLineSupport
internal import Dispatch
internal import Glibc
internal import SharedAuth
internal import Synchronization

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
        let interruption = WatchEnd.onInterruption()
        let store = try app.store.recordStore()
        let busDirectory = store.kind == .secretService ? BusDirectory() : nil
        let end: @Sendable (ExitCondition) -> Void = { condition in
            switch condition {
            case .readerGone:
                WatchEnd.now(.success)
            case .sessionOver(let directory):
                WatchEnd.now(
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
        withExtendedLifetime((interruption, observation, handles)) { waitForever() }
    }

    private func waitForever() -> Never {
        while true { DispatchSemaphore(value: 0).wait() }
    }
}

/// How `watch` ends: at once, whatever its other threads wait for, and for the first reason alone.
enum WatchEnd {
    private static let first = Mutex<Void>(())

    /// Ends the process.
    static func now(_ status: ExitCode, saying message: String? = nil) -> Never {
        // Held until the process is gone: a later call waits here.
        first.withLock { _ in
            if let message { StandardError.write(line: message) }
            exit(status.rawValue)
        }
    }

    /// Ends the process because a line could not be written; without a word, if the reader is gone.
    static func now(because error: OutputError) -> Never {
        now(error.isClosedPipe ? .success : .outputFailed, saying: error.message)
    }

    /// Has SIGINT and SIGTERM end the process with status 0 for as long as the sources live.
    static func onInterruption() -> [any DispatchSourceSignal] {
        let queue = DispatchQueue(label: "sharedauth.signals")
        return [SIGINT, SIGTERM].map { number in
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
            source.setEventHandler { now(.success) }
            source.activate()
            return source
        }
    }
}
