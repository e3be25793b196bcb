internal import ArgumentParser
internal import CommandLineSupport
internal import SharedAuth

/// Switches to an access group, or back to the app's own slot.
struct UseGroup: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "use-group",
        abstract: "Switch to an access group, or with --none to the app's own slot.",
        discussion: """
            The choice is stored for the app id. Switching from the own slot to a group forgets the own slot's user, as \
            in Firebase.
            """
    )

    @Argument(help: "The access group.")
    var group: String?

    @Flag(help: "Use the app's own slot.")
    var none = false

    @OptionGroup(title: "Options for all verbs") var app: AppOptions

    func validate() throws {
        _ = try SlotChoice.group(group, orOwn: none, "a group or --none")
    }

    func run() throws {
        let auth = try app.auth()
        try auth.useUserAccessGroup(group)
        try Report(of: auth).print(asJSON: app.json)
    }
}

/// Prints the user stored in a slot, without switching to it.
struct StoredUser: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "stored-user",
        abstract: "Say which user an access group or the app's own slot holds, without switching to it."
    )

    @Option(help: "The access group.")
    var group: String?

    @Flag(help: "The app's own slot.")
    var own = false

    @OptionGroup(title: "Options for all verbs") var app: AppOptions

    func validate() throws {
        _ = try SlotChoice.group(group, orOwn: own, "--group <group> or --own")
    }

    func run() throws {
        let auth = try app.auth()
        let user = try auth.getStoredUser(forAccessGroup: group)
        try Report(of: auth, group: group, user: user).print(asJSON: app.json)
    }
}

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

/// What a verb's two ways of naming a slot come to.
private enum SlotChoice {
    /// The group of the one, or nil for the other; a usage error when both are given or none is.
    static func group(_ group: String?, orOwn own: Bool, _ names: String) throws -> String? {
        if (group != nil) == own { throw ValidationError("Give either \(names).") }
        return group
    }
}
