internal import ArgumentParser
internal import CommandLineSupport
internal import SharedAuth

/// Empties a slot without switching to it.
struct Forget: ParsableCommand {
    static let configuration = CommandConfiguration(
        verb: "forget",
        abstract: "Sign every user of a slot out, without switching to it.",
        discussion: """
            Prompts on a terminal, and requires --yes without one. For a group, signs users out of every app of the \
            group. Does not change a damaged record: 'sharedauth set-aside user' sets it aside.
            """,
        examples: [
            "sharedauth forget --own --app-id com.example.Mail",
            "sharedauth forget --group group.com.example.office --yes",
        ]
    )

    @Option(help: "The access group.", completion: .accessGroups)
    var group: String?

    @Flag(help: "The app's own slot.")
    var own = false

    @Flag(help: "Do not prompt.")
    var yes = false

    @OptionGroup(visibility: .ofSharedOptions) var app: AppOptions

    func validate() throws {
        _ = try SlotChoice.group(group, orOwn: own, "--group <group> or --own")
    }

    func run() throws {
        let auth = try app.auth()
        let forgotten: [String]
        if yes {
            forgotten = try auth.signOutUsers(ofAccessGroup: group)
        } else {
            // Sign out only the users that the prompt named.
            let uids = try auth.storedUsers(inAccessGroup: group).map(\.uid)
            if !uids.isEmpty { try confirm(uids) }
            forgotten = try auth.signOutUsers(ofAccessGroup: group, only: Set(uids))
        }
        var report = Report(of: auth, group: group, user: try auth.getStoredUser(forAccessGroup: group))
        let text = forgotten.isEmpty ? "nobody" : forgotten.joined(separator: ", ")
        report.add("forgotten", .array(forgotten.map(JSONValue.string)), row: "forgotten", text: text)
        try report.print(asJSON: app.json)
    }

    private func confirm(_ uids: [String]) throws {
        let names = uids.joined(separator: ", ")
        let question =
            group.map { "Forget \(names) of access group \($0), in every app of the group?" }
            ?? "Forget \(names) of the app's own slot?"
        try Terminal.confirm(question, orGive: "--yes to forget \(names)")
    }
}
