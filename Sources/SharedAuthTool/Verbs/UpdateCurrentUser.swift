internal import ArgumentParser
internal import CommandLineSupport
internal import SharedAuth

/// Makes the user stored in another slot the current one.
struct UpdateCurrentUser: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "update-current-user",
        abstract: "Sign the user of another slot in to the slot in use."
    )

    @Option(help: ArgumentHelp("The access group that holds the user.", valueName: "group"))
    var fromGroup: String?

    @Flag(help: "The app's own slot holds the user.")
    var fromOwn = false

    @OptionGroup(title: "Options for all verbs") var app: AppOptions

    func validate() throws {
        _ = try SlotChoice.group(fromGroup, orOwn: fromOwn, "--from-group <group> or --from-own")
    }

    func run() throws {
        let auth = try app.auth()
        guard let user = try auth.getStoredUser(forAccessGroup: fromGroup) else {
            let slot = fromGroup.map { "Access group \($0)" } ?? "The app's own slot"
            throw AuthError(.nullUser, "\(slot) holds no user. Sign in there first.")
        }
        try result { () async throws(AuthError) in try await auth.updateCurrentUser(user) }
        try Report(of: auth).print(asJSON: app.json)
        StandardError.write(
            line: "The slot that the user came from keeps a copy. Where each refresh token is good for one exchange, "
                + "sign out there."
        )
    }
}
