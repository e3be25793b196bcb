internal import ArgumentParser
internal import CommandLineSupport
internal import FoundationEssentials
internal import PassAuth

/// Requests an authorization to play a resource.
struct Authorize: ParsableCommand {
    static let configuration = CommandConfiguration(
        verb: "authorize",
        abstract: "Ask the TV provider whether a resource may be played. Does not prompt for a sign-in.",
        discussion: """
            With --media-token, the media token is printed. It is for the programmer's back end: any program that has \
            it can play the resource once, within minutes.
            """,
        examples: [
            "sharedauth pass authorize news-live --requestor ExampleNews",
            "sharedauth pass authorize news-live --requestor ExampleNews --media-token",
        ]
    )

    @Argument(help: "The resource: an id, or media RSS.")
    var resource: String

    @OptionGroup var server: ServerOptions

    @Flag(help: "Print only the media token.")
    var mediaToken = false

    @OptionGroup(title: "Options for all verbs of pass") var options: PassOptions

    func run() throws {
        let app = try PassApp(options)
        let flow = try Flow(app, server, try SignInScreen(byCode: true, activationPage: nil))
        let resource = resource
        let (text, until) = try flow.run { enabler in
            let token = try await enabler.checkAuthorization(resource)
            return (token, await enabler.getMetadata(.authorization(resource: resource)).value)
        }
        if mediaToken { return try StandardOutput.write(line: text) }
        let token = try MediaToken(base64: text)
        var table = Table(of: app)
        table.add("requestor", "requestor", server.requestor)
        table.add("resource", "resource", resource)
        table.add("mvpd", "TV provider", token.mvpd)
        table.add("authorized", "authorized", true)
        table.add("until", "until", until?.date?.ISO8601Format())
        table.add("mediaTokenUntil", "media token until", token.expires.ISO8601Format())
        try table.print(asJSON: options.app.json)
    }
}
