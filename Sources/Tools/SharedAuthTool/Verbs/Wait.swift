internal import ArgumentParser
internal import CommandLineSupport
internal import Dispatch
internal import SharedAuth

/// Waits until a user is signed in, or until no user is signed in.
struct Wait: ParsableCommand {
    /// The state to wait for.
    enum Goal: String, CaseIterable, ExpressibleByArgument {
        case signedIn = "signed-in"
        case signedOut = "signed-out"

        /// The clause of the time-out message that says what did not happen.
        fileprivate var absence: String {
            switch self {
            case .signedIn: "no user has signed in"
            case .signedOut: "the user has not signed out"
            }
        }
    }

    static let configuration = CommandConfiguration(
        verb: "wait",
        abstract: "Wait until a user is signed in to the slot in use, or until no user is signed in.",
        discussion: """
            Returns immediately if that is already the case, and prints nothing unless --json is given. The exit \
            status is 75 after the time-out, and 69 if the session ends. If the keyring is locked or absent, prints \
            one line on standard error, and continues to wait.
            """,
        examples: [
            "sharedauth wait signed-in --timeout 5m && start-backup",
            "sharedauth wait signed-out --json",
        ]
    )

    @Argument(help: "The state to wait for.")
    var goal: Goal

    @Option(
        help: ArgumentHelp(
            "The maximum time to wait, e.g. 500ms, 30s, 5m or 1h; unlimited by default.",
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
            guard let user = try outcome.wait(by: deadline) ?? lastLook(slot.auth) else { throw timedOut(slot.auth) }
            if app.json { try report(user, slot.auth) }
        }
    }

    /// Returns the user, or the absence of one, if that is the state to wait for: a change may have passed unheard.
    private func lastLook(_ auth: Auth) -> User?? {
        if case .unknown = auth.state { return nil }
        do throws(AuthError) {
            let user = try auth.getStoredUser(forAccessGroup: auth.userAccessGroup)
            return (user != nil) == (goal == .signedIn) ? .some(user) : nil
        } catch {
            return nil
        }
    }

    private func report(_ user: User?, _ auth: Auth) throws {
        var report = Report(of: auth, group: auth.userAccessGroup, user: user)
        report.add("state", .string(goal.rawValue), row: "state", text: goal.rawValue)
        try report.print(asJSON: true)
    }

    private func timedOut(_ auth: Auth) -> AuthError {
        let time = timeout.map { " within \($0)" } ?? ""
        // Reading the slot in use would wait for the first load.
        if case .unknown = auth.state { return AuthError(.timedOut, "The keyring has not answered\(time).") }
        let slot = auth.userAccessGroup.map { "Access group \($0)" } ?? "The app's own slot"
        return AuthError(.timedOut, "\(slot): \(goal.absence)\(time).")
    }
}
