internal import ArgumentParser
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
