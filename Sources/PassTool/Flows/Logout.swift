internal import ArgumentParser
internal import CommandLineSupport
internal import PassAuth

/// Logs out, here and at the servers.
struct Logout: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "logout",
        abstract: "Log out here, in every app of the access group, then at the servers and the TV provider.",
        discussion: """
            The store is cleared first, so the person is logged out here even if no server answers. 'clear' does that part \
            alone.

            The server's log-out goes out once, for this programmer and the current TV provider. If no server answers, the \
            server may still know the person, and the next sign-in with that TV provider may need no password.

            Examples:
              sharedauth pass logout --requestor ExampleNews
              sharedauth pass logout --requestor ExampleNews --json
            """
    )

    @OptionGroup var server: ServerOptions

    @OptionGroup(title: "Options for all verbs") var options: PassOptions

    func run() throws {
        let app = try PassApp(options)
        let flow = try Flow(app, server, try SignInScreen.ofLogOut())
        try flow.run { enabler in
            let status = await enabler.logout()
            // A good log-out ends with nobody being signed in.
            guard status.errorCode == EntitlementConstant.USER_NOT_AUTHENTICATED_ERROR else {
                throw Flow.StatusError(status: status)
            }
        }
        var table = Table(of: app)
        table.add("requestor", "requestor", server.requestor)
        table.add("state", "state", "signed-out")
        try table.print(asJSON: options.app.json)
    }
}
