internal import ArgumentParser
internal import CommandLineSupport
internal import Dispatch
internal import SharedAuth
internal import Synchronization

/// Prints the state of slots until it is interrupted.
struct Watch: ParsableCommand {
    static let configuration = CommandConfiguration(
        verb: "watch",
        abstract: "Print the current user, and each change by any app of the access group.",
        discussion: """
            Prints one line for each change, until it receives SIGINT, SIGTERM or SIGHUP, or the reader closes the \
            output; the exit status is then 0. It is 69 if the session ends, i.e. if the directory of the bus socket \
            is removed. If changes cannot be observed, or the keyring is locked or absent, prints one line on standard \
            error; output continues when the keyring can be read.

            With --exec, 'sh -c' runs a command for each change instead, one at a time and in order; if a slot changes \
            several times while a command runs, only the last change is reported. The variables \
            SHAREDAUTH_WATCH_EVENT, SHAREDAUTH_WATCH_STATE, SHAREDAUTH_WATCH_UID and SHAREDAUTH_WATCH_GROUP contain \
            the parts of the line. They contain no token: use 'sharedauth token'. An identity provider chooses the \
            uid: quote the variable, and put '--' before it, as in 'mytool -- "$SHAREDAUTH_WATCH_UID"'. If a command \
            fails, prints a line on standard error.
            """,
        examples: [
            "sharedauth watch --json --all-groups",
            "sharedauth watch --exec 'logger \"$SHAREDAUTH_WATCH_STATE\"'",
        ]
    )

    @Option(
        name: .customLong("exec"),
        help: ArgumentHelp("Run a command for each line, instead of printing it.", valueName: "command")
    )
    var command: String?

    @Flag(help: "Watch the app's own slot, every declared group and the one in use; each line names its slot.")
    var allGroups = false

    @OptionGroup(visibility: .ofSharedOptions) var app: AppOptions

    func validate() throws {
        if command?.isEmpty ?? false { throw ValidationError("Give --exec a command.") }
    }

    func run() throws {
        ProcessEnd.expectInterruption()
        // A command handles the output itself.
        let needsReader = command == nil
        if allGroups {
            let slots = try ObservedSlots(app, needsReader: needsReader)
            let watches = try slots.watch(publisher(SlotColumns(of: slots.groups)))
            withExtendedLifetime((slots, watches)) { waitForever() }
        } else {
            let slot = try ObservedSlot(app, needsReader: needsReader)
            let handles = try announce(slot, publisher(nil))
            withExtendedLifetime((slot, handles)) { waitForever() }
        }
    }

    /// Returns the closure that receives announcements.
    private func publisher(_ columns: SlotColumns?) -> @Sendable (Announcement) -> Void {
        if let command {
            let runner = CommandRunner(command, isVerbose: app.verbose, columns: columns)
            return { runner.run($0) }
        }
        let printer = AnnouncementPrinter(asJSON: app.json, columns: columns)
        return { printer.print($0) }
    }

    /// Publishes the present state of the slot in use, and then each call of its listeners, on one queue.
    private func announce(
        _ slot: ObservedSlot,
        _ publish: @escaping @Sendable (Announcement) -> Void
    ) throws -> [AuthListenerHandle] {
        let auth = slot.auth
        try slot.awaitFirstLoad { publish(Announcement(.authState, nil, in: auth.userAccessGroup, state: $0)) }
        let hasPresentToken = Once()
        return [
            auth.addStateDidChangeListener { publish(Announcement(.authState, $1, in: $0.userAccessGroup)) },
            auth.addIDTokenDidChangeListener { auth, user in
                // The first token belongs to the present state, which the first line has reported.
                guard hasPresentToken.raise() else { return }
                publish(Announcement(.idToken, user, in: auth.userAccessGroup))
            },
        ]
    }

    private func waitForever() -> Never {
        while true { DispatchSemaphore(value: 0).wait() }
    }
}
