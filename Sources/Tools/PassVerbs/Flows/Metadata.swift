internal import ArgumentParser
internal import CommandLineSupport
internal import FoundationEssentials
internal import PassAuth
internal import SharedAuth

/// Prints user metadata from the TV provider.
struct Metadata: ParsableCommand {
    static let configuration = CommandConfiguration(
        verb: "metadata",
        abstract: "Print the TV provider's user metadata under a name such as zip or maxRating.",
        discussion: """
            An encrypted value is printed unchanged. The value is personal data: take care where you write it.
            """,
        examples: [
            "sharedauth pass metadata zip --requestor ExampleNews",
            "sharedauth pass metadata maxRating --requestor ExampleNews --json",
        ]
    )

    @Argument(help: "The name of the metadata.")
    var name: String

    @OptionGroup var server: ServerOptions

    @OptionGroup(title: "Options for all verbs of pass") var options: PassOptions

    func run() throws {
        let app = try PassApp(options)
        let flow = try Flow(app, server, try SignInScreen(byCode: true, activationPage: nil))
        let name = name
        let answer = try flow.run { enabler in
            let status = await enabler.checkAuthentication()
            guard status.isAuthenticated else { throw Flow.StatusError(status: status) }
            return await enabler.getMetadata(.user(name))
        }
        let value = answer.value ?? .null
        var table = Table(of: app)
        table.add("requestor", "requestor", server.requestor)
        let text = try value.string ?? value.text
        table.add("value", value, row: name, text: value == .null ? "none" : text)
        table.add("encrypted", "encrypted", answer.isEncrypted)
        try table.print(asJSON: options.app.json)
    }
}
