internal import ArgumentParser
internal import SharedAuth

/// Signs the current user out.
struct SignOut: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sign-out",
        abstract: "Sign the current user out, in every app of the access group in use."
    )

    @OptionGroup(title: "Options for all verbs") var app: AppOptions

    func run() throws {
        let auth = try app.auth()
        try auth.signOut()
        try Report(of: auth).print(asJSON: app.json)
    }
}
