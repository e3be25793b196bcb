internal import ArgumentParser
internal import CommandLineSupport
internal import PassAuth
internal import SharedAuth

/// Logs out, here and at the servers.
struct Logout: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "logout",
        abstract: "Log out here, in every app of the access group, then at the servers and the TV provider.",
        discussion: """
            The store is cleared first, so the person is logged out here even if no server answers, or it refuses the app. \
            'clear' does that part alone.

            The server's log-out goes out once, for this programmer and the current TV provider. If the server cannot be \
            told, a line on standard error (with --json, the member serverFailure) says why; the exit status is 0. The server may \
            still know the person then, and the next sign-in with that TV provider may need no password.

            Examples:
              sharedauth pass logout --requestor ExampleNews
              sharedauth pass logout --requestor ExampleNews --json
            """
    )

    @OptionGroup var server: ServerOptions

    @OptionGroup(title: "Options for all verbs") var options: PassOptions

    func run() throws {
        let app = try PassApp(options)
        let flow = try Flow(app, server, SignInScreen.ofLogOut())
        let failure = try flow.logOut()
        if let failure {
            StandardError.write(
                line: "Logged out here. The servers could not be told, and may still know the person: \(failure)"
            )
        }
        var table = Table(of: app)
        table.add("requestor", "requestor", server.requestor)
        table.add("state", "state", "signed-out")
        let server = failure == nil ? "done" : "could not be told"
        table.add("serverFailure", JSONValue(failure), row: "server", text: server)
        try table.print(asJSON: options.app.json)
    }
}
