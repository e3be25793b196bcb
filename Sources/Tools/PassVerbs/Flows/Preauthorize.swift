internal import ArgumentParser
internal import CommandLineSupport
internal import PassAuth
internal import SharedAuth

/// Requests the resources that the user may watch.
struct Preauthorize: ParsableCommand {
    static let configuration = CommandConfiguration(
        verb: "preauthorize",
        abstract: "Ask which resources may be watched, for display. To play one, use 'authorize'.",
        discussion: """
            Results are cached with the sign-in; --no-cache requests them again.
            """,
        examples: [
            "sharedauth pass preauthorize news-live sport-live --requestor ExampleNews",
            "sharedauth pass preauthorize kids-live --requestor ExampleNews --no-cache --json",
        ]
    )

    @Argument(help: "The resources.")
    var resources: [String]

    @OptionGroup var server: ServerOptions

    @Flag(help: "Ask the servers, even if a result is cached.")
    var noCache = false

    @OptionGroup(title: "Options for all verbs of pass") var options: PassOptions

    func run() throws {
        let app = try PassApp(options)
        let flow = try Flow(app, server, try SignInScreen(byCode: true, activationPage: nil))
        let (resources, usesCache) = (resources, !noCache)
        let permitted = try flow.run { enabler in
            // When signed out, the call below returns an empty list without a reason, so report the status instead.
            let status = await enabler.checkAuthentication()
            guard status.isAuthenticated else { throw Flow.StatusError(status: status) }
            return try await enabler.checkPreauthorizedResources(resources, cache: usesCache)
        }
        if options.app.json {
            let object: [String: JSONValue] = [
                "appID": .string(app.identity.appID), "accessGroup": JSONValue(app.group?.name),
                "requestor": .string(server.requestor),
                "resources": .object(
                    Dictionary(resources.map { ($0, .bool(permitted.contains($0))) }) { first, _ in first }
                ),
            ]
            return try StandardOutput.write(line: try JSONValue.object(object).text)
        }
        for resource in resources {
            try StandardOutput.write(line: "\(permitted.contains(resource) ? "permitted" : "refused  ")  \(resource)")
        }
    }
}
