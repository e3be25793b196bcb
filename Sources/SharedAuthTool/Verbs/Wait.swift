internal import ArgumentParser
internal import CommandLineSupport
internal import Dispatch
internal import SharedAuth

/// Waits until somebody is signed in, or nobody.
struct Wait: ParsableCommand {
    /// What is waited for.
    enum Goal: String, CaseIterable, ExpressibleByArgument {
        case signedIn = "signed-in"
        case signedOut = "signed-out"

        /// What has not happened when the time is over.
        fileprivate var absence: String {
            switch self {
            case .signedIn: "no user has signed in"
            case .signedOut: "the user has not signed out"
            }
        }
    }

    static let configuration = CommandConfiguration(
        verb: "wait",
        abstract: "Wait until a user is signed in to the slot in use, or until nobody is.",
        discussion: """
            It ends at once if that is so already, and prints nothing unless --json asks for it. The exit status is 75 when the \
            time-out has passed, and 69 when the session ends. While the keyring is locked or absent, that is said once on \
            standard error, and the wait goes on.
            """,
        examples: [
            "sharedauth wait signed-in --timeout 5m && start-backup",
            "sharedauth wait signed-out --json",
        ]
    )

    @Argument(help: "What to wait for.")
    var goal: Goal

    @Option(
        help: ArgumentHelp(
            "How long to wait at most, e.g. 500ms, 30s, 5m or 1h; else without end.",
            valueName: DurationArgument.valueName
        ),
        transform: DurationArgument.duration
    )
    var timeout: Duration?

    @OptionGroup(visibility: .ofSharedOptions) var app: AppOptions

    func run() throws {
        let deadline = timeout.map { Deadline.after($0) }
        let slot = try ObservedSlot(app, needsReader: false)
        let outcome = Outcome<User?, AuthError>()
        let goal = goal
        let handle = slot.auth.addStateDidChangeListener { _, user in
            if (user != nil) == (goal == .signedIn) { outcome.set(.success(user)) }
        }
        // The first load may take longer than the time-out.
        DispatchQueue(label: "sharedauth.first-load").async {
            do throws(AuthError) { try slot.awaitFirstLoad() } catch { outcome.set(.failure(error)) }
        }
        try withExtendedLifetime(handle) {
            guard let user = try outcome.wait(by: deadline) else { throw timedOut(slot.auth) }
            if app.json { try report(user, slot.auth) }
        }
    }

    private func report(_ user: User?, _ auth: Auth) throws {
        var report = Report(of: auth, group: auth.userAccessGroup, user: user)
        report.add("state", .string(goal.rawValue), row: "state", text: goal.rawValue)
        try report.print(asJSON: true)
    }

    private func timedOut(_ auth: Auth) -> AuthError {
        let time = timeout.map { " within \($0)" } ?? ""
        // To ask for the slot in use would mean to wait for the first load.
        if case .unknown = auth.state { return AuthError(.timedOut, "The keyring has not answered\(time).") }
        let slot = auth.userAccessGroup.map { "Access group \($0)" } ?? "The app's own slot"
        return AuthError(.timedOut, "\(slot): \(goal.absence)\(time).")
    }
}
