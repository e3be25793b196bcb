internal import ArgumentParser
internal import CommandLineSupport
internal import SharedAuth

/// Switches to an access group, or back to the app's own slot.
struct UseGroup: ParsableCommand {
    static let configuration = CommandConfiguration(
        verb: "use-group",
        abstract: "Switch to an access group, or with --none to the app's own slot.",
        discussion: """
            The choice is stored for the app id. If a switch from the app's own slot to a group would forget the user \
            in that slot, as in Firebase, the tool prompts on a terminal, and requires --forget without one; \
            'sharedauth migrate' moves the user to the group. Switching back forgets no user.
            """,
        examples: ["sharedauth use-group group.com.example.office", "sharedauth use-group --none"]
    )

    @Argument(help: "The access group.", completion: .accessGroups)
    var group: String?

    @Flag(help: "Use the app's own slot.")
    var none = false

    @Flag(help: "Forget the user in the app's own slot.")
    var forget = false

    @OptionGroup(visibility: .ofSharedOptions) var app: AppOptions

    func validate() throws {
        _ = try SlotChoice.group(group, orOwn: none, "a group or --none")
    }

    func run() throws {
        let auth = try app.auth()
        if forget {
            try auth.useUserAccessGroup(group)
        } else {
            try switchForgettingNobody(auth)
        }
        try Report(of: auth).print(asJSON: app.json)
    }

    /// Switches, and prompts for each user in the app's own slot who would be forgotten: another user may sign in
    /// during a prompt.
    private func switchForgettingNobody(_ auth: Auth) throws {
        var forgettable: String?
        while let uid = try auth.useUserAccessGroup(group, forgettingOnly: forgettable) {
            let group = group ?? "the group"
            let migration = "sharedauth migrate --from-own --to-group \(group)\(app.naming)"
            let loss = "Switching to \(group) forgets \(uid), the user of the app's own slot."
            guard Terminal.isThere else {
                throw ToolError(
                    .usage,
                    loss,
                    name: "wouldForgetUser",
                    remedy: "Run \(migration) to take the user along, or give --forget."
                )
            }
            guard Terminal.isYes("\(loss) Continue?") else {
                throw ToolError(
                    .refused,
                    "Nothing was changed.",
                    name: "declined",
                    remedy: "To take the user along: \(migration)"
                )
            }
            forgettable = uid
        }
    }
}

/// Prints the user stored in a slot, without switching to it.
struct StoredUser: ParsableCommand {
    static let configuration = CommandConfiguration(
        verb: "stored-user",
        abstract: "Print the user of an access group or the app's own slot, without switching to it.",
        examples: ["sharedauth stored-user --group group.com.example.office", "sharedauth stored-user --own --json"]
    )

    @Option(help: "The access group.", completion: .accessGroups)
    var group: String?

    @Flag(help: "The app's own slot.")
    var own = false

    @OptionGroup(visibility: .ofSharedOptions) var app: AppOptions

    func validate() throws {
        _ = try SlotChoice.group(group, orOwn: own, "--group <group> or --own")
    }

    func run() throws {
        let auth = try app.auth()
        let user = try auth.getStoredUser(forAccessGroup: group)
        try Report(of: auth, group: group, user: user).print(asJSON: app.json)
    }
}

/// Makes the user of another slot the current user.
struct UpdateCurrentUser: ParsableCommand {
    static let configuration = CommandConfiguration(
        verb: "update-current-user",
        abstract: "Sign the user of another slot in to the slot in use.",
        discussion: "The other slot keeps a copy; 'sharedauth migrate' leaves none.",
        examples: [
            "sharedauth update-current-user --from-group group.com.example.office",
            "sharedauth update-current-user --from-own --json",
        ]
    )

    @Option(help: ArgumentHelp("The user is in this access group.", valueName: "group"), completion: .accessGroups)
    var fromGroup: String?

    @Flag(help: "The user is in the app's own slot.")
    var fromOwn = false

    @OptionGroup(visibility: .ofSharedOptions) var app: AppOptions

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
            line: "The other slot keeps a copy of the user. If each refresh token is good for one exchange, "
                + "sign out there."
        )
    }
}

/// The choice between two options that name a slot.
enum SlotChoice {
    /// Returns the group, or nil for the app's own slot.
    ///
    /// - Throws: A usage error if both options are given, or neither.
    static func group(_ group: String?, orOwn own: Bool, _ names: String) throws -> String? {
        if (group != nil) == own { throw ValidationError("Give either \(names).") }
        return group
    }
}
