internal import ArgumentParser
internal import SharedAuth

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
