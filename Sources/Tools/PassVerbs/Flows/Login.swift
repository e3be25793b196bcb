internal import ArgumentParser
internal import CommandLineSupport
internal import FoundationEssentials
internal import PassAuth

/// Signs in with a TV provider.
struct Login: ParsableCommand {
    static let configuration = CommandConfiguration(
        verb: "login",
        abstract: "Sign in with a TV provider: in the browser, or by a code on another screen.",
        discussion: """
            A user who is signed in stays signed in, unless --force is given. Another app's sign-in counts only with a \
            service token. With --force, the TV provider's page is always shown; the app's session at the server ends \
            first, even if the user then cancels. Without --provider, the TV provider is that of the last sign-in, or \
            is chosen from a list.
            """,
        examples: [
            "sharedauth pass login --requestor ExampleNews --provider Cable",
            "sharedauth pass login --requestor ExampleNews --code --json",
        ]
    )

    @OptionGroup var server: ServerOptions

    @Option(help: ArgumentHelp("The TV provider (MVPD).", valueName: "id"))
    var provider: String?

    @Flag(help: "Show a code for a browser on any machine.")
    var code = false

    @Option(help: ArgumentHelp("The address where the user enters the code.", valueName: "url"))
    var activationPage: String?

    @Flag(help: "Sign in even if a user is signed in.")
    var force = false

    @OptionGroup(title: "Options for all verbs of pass") var options: PassOptions

    func run() throws {
        let app = try PassApp(options)
        let screen = try SignInScreen(byCode: code, activationPage: activationPage)
        let flow = try Flow(app, server, screen, provider: provider)
        let (provider, isForced) = (provider, force)
        let mvpd = try flow.run { enabler in
            let chosen = await enabler.getSelectedProvider()
            let status: AuthenticationStatus
            if let provider, let chosen, chosen.id != provider {
                // If this sign-in fails, the user stays signed in with the other TV provider.
                status = await enabler.signIn(with: provider, isForced: isForced)
                if status.errorCode == EntitlementConstant.PROVIDER_NOT_AVAILABLE_ERROR {
                    throw ValidationError("The programmer does not work with \(provider).")
                }
            } else {
                status = await enabler.getAuthentication(isForced)
            }
            guard status.isAuthenticated else { throw Flow.StatusError(status: status) }
            return await enabler.getSelectedProvider()?.id
        }
        var table = Table(of: app)
        table.add("requestor", "requestor", server.requestor)
        table.add("state", "state", "signed-in")
        table.add("mvpd", "TV provider", mvpd)
        try table.print(asJSON: options.app.json)
    }
}
