internal import ArgumentParser
internal import CommandLineSupport
internal import FoundationEssentials
internal import PassAuth
internal import SharedAuth

/// Lists the stored tokens.
struct Tokens: ParsableCommand {
    static let configuration = CommandConfiguration(
        verb: "tokens",
        abstract: "List the stored tokens of every programmer and TV provider, and whether they may be used.",
        discussion: "Unreadable tokens are listed along with the others; the exit status is then 65.",
        examples: [
            "sharedauth pass tokens --group group.com.example.tv",
            "sharedauth pass tokens --requestor ExampleNews --resources --json",
        ]
    )

    @Option(help: ArgumentHelp("List only the tokens of this programmer (requestor).", valueName: "id"))
    var requestor: String?

    @Flag(help: "List the authorized resources instead of counting them.")
    var resources = false

    @OptionGroup var chosen: MVPDOptions

    @OptionGroup(title: "Options for all verbs of pass") var options: PassOptions

    func run() throws {
        let app = try PassApp(options)
        let store = try app.tokens()
        let contents = try store.contents()
        let (stored, unreadable) = (contents.tokens, contents.unreadable.filter { isAsked(for: $0.requestor) })
        let listing = Listing(date: Date(), device: store.device, mvpds: chosen.mvpds(of: stored))
        let rows =
            stored.flatMap { listing.rows(of: $0, namesResources: resources) }.filter { isAsked(for: $0.requestor) }
            + unreadable.map(TokenRow.init(of:))
        if options.app.json {
            let object = [
                "appID": .string(app.identity.appID), "accessGroup": JSONValue(app.group?.name),
                "tokens": .array(rows.map(\.json)),
            ]
            try StandardOutput.write(line: try JSONValue.object(object).text)
        } else {
            if rows.isEmpty { try StandardOutput.write(line: "no tokens") }
            for row in rows { try StandardOutput.write(line: row.line) }
        }
        guard let first = unreadable.first else { return }
        throw ToolError(.data, unreadable.count == 1 ? first.reason : "\(unreadable.count) tokens cannot be read.")
    }

    private func isAsked(for requestor: String) -> Bool { self.requestor == nil || self.requestor == requestor }
}

/// The rules for judging and listing stored tokens.
struct Listing {
    let date: Date
    let device: DeviceIdentity
    let mvpds: Set<String>

    /// Returns the rows of a token: the token itself, then one row for each programmer's authorizations, or with
    /// `namesResources`, one row for each authorization.
    func rows(of stored: StoredToken, namesResources: Bool) -> [TokenRow] {
        let token = stored.token
        var rows = [row(of: token, for: nil, .authentication(isShared: stored.isShared))]
        for (requestor, cache) in stored.caches.sorted(by: { $0.key < $1.key }) where cache.authorizationCount > 0 {
            if namesResources {
                rows += cache.allAuthorizations.map { row(of: $0, for: requestor, .authorization($0.resource)) }
            } else {
                let count = cache.authorizationCount
                rows.append(TokenRow(requestor: requestor, mvpd: token.mvpd, kind: .authorizations(count)))
            }
        }
        return rows
    }

    private func row(of token: some DeviceBoundToken, for requestor: String?, _ kind: TokenRow.Kind) -> TokenRow {
        let verdict = token.verdict(at: date, device: device, allowedIssuers: mvpds, requestor: requestor)
        return TokenRow(
            requestor: requestor ?? token.requestor,
            mvpd: token.mvpd,
            kind: kind,
            judgement: (verdict, token.expires)
        )
    }
}
