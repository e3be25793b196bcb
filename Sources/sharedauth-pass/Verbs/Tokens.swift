internal import ArgumentParser
internal import FoundationEssentials
internal import PassAuth
internal import SharedAuth
internal import ToolConventions

/// Lists what the store holds.
struct Tokens: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "tokens",
        abstract: "List the tokens that are stored, of every programmer and provider, and whether they may be used."
    )

    @Option(help: ArgumentHelp("List this programmer's (requestor's) alone.", valueName: "id"))
    var requestor: String?

    @Flag(help: "Name the resources that are authorized, instead of counting them.")
    var resources = false

    @OptionGroup var providers: ProviderOptions

    @OptionGroup(title: "Options for all verbs") var app: AppOptions

    func run() throws {
        let app = try PassApp(app)
        let store = try app.tokens()
        let stored = try store.contents()
        let listing = Listing(date: Date(), device: store.device, providers: providers.providers(of: stored))
        let rows = stored.flatMap { listing.rows(of: $0, namesResources: resources) }
            .filter { requestor == nil || $0.requestor == requestor }
        if self.app.json {
            let object = [
                "appID": .string(app.identity.appID), "accessGroup": JSONValue(app.group?.name),
                "tokens": .array(rows.map(\.json)),
            ]
            return try StandardOutput.write(line: try JSONValue.object(object).text)
        }
        if rows.isEmpty { try StandardOutput.write(line: "no tokens") }
        for row in rows { try StandardOutput.write(line: row.line) }
    }
}
