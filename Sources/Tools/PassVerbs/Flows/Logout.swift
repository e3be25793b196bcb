internal import ArgumentParser
internal import CommandLineSupport
internal import PassAuth
internal import SharedAuth

/// Logs out on this machine and at the servers.
struct Logout: ParsableCommand {
    static let configuration = CommandConfiguration(
        verb: "logout",
        abstract: "Log out here, in every app of the access group, then at the servers and the TV provider.",
        discussion: """
            The store is cleared first, so the user is logged out here even if the server does not respond or refuses \
            the app. 'clear' only clears the store.

            The server is notified once, for this programmer and the current TV provider. If that fails, a line on \
            standard error (with --json, the member serverFailure) says why, and the exit status is 0. The server may \
            then still know the user, and the next sign-in with that TV provider may need no password.
            """,
        examples: [
            "sharedauth pass logout --requestor ExampleNews",
            "sharedauth pass logout --requestor ExampleNews --json",
        ]
    )

    @OptionGroup var server: ServerOptions

    @OptionGroup(title: "Options for all verbs of pass") var options: PassOptions

    func run() throws {
        let app = try PassApp(options)
        let flow = try Flow(app, server, SignInScreen.ofLogOut())
        let failure = try flow.logOut()
        if let failure {
            StandardError.write(
                line: "Logged out here. The servers could not be notified, and may still know the user: \(failure)"
            )
        }
        var table = Table(of: app)
        table.add("requestor", "requestor", server.requestor)
        table.add("state", "state", "signed-out")
        let server = failure == nil ? "done" : "could not be notified"
        table.add("serverFailure", JSONValue(failure), row: "server", text: server)
        try table.print(asJSON: options.app.json)
    }
}
