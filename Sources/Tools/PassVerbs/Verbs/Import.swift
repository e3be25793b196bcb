internal import ArgumentParser
internal import CommandLineSupport
internal import FoundationEssentials
internal import PassAuth
internal import SharedAuth

/// Imports a token into the store.
struct Import: ParsableCommand {
    static let configuration = CommandConfiguration(
        verb: "import",
        abstract: "Import a programmer's token from an earlier layout, or a token from standard input.",
        discussion: """
            Earlier layouts are searched once for each app and programmer, if the programmer is not signed in, has not \
            chosen otherwise, and no app has logged out. Their tokens are copied and stay there. Tokens that expired \
            more than 30 days ago are deleted, as when an app starts.

            With --token-stdin, standard input is an authentication token: the XML fragment that a server sends. It \
            signs its programmer in. With --passphrase-stdin, the passphrase is the first line and the token is the \
            rest.
            """,
        examples: [
            "sharedauth pass import --requestor ExampleNews",
            "sharedauth pass import --token-stdin <token.xml",
        ]
    )

    @Option(help: ArgumentHelp("The programmer (requestor).", valueName: "id"))
    var requestor: String?

    @Flag(help: "Read an authentication token from standard input.")
    var tokenStdin = false

    @Flag(help: "The token's TV provider requires one token per programmer: no other programmer may use this one.")
    var perRequestor = false

    @OptionGroup var chosen: MVPDOptions

    @OptionGroup(title: "Options for all verbs of pass") var options: PassOptions

    func validate() throws {
        if tokenStdin == (requestor != nil) {
            throw ValidationError("Give either --requestor <id> or --token-stdin.")
        }
        if !tokenStdin && perRequestor { throw ValidationError("--per-requestor requires --token-stdin.") }
    }

    func run() throws {
        let app = try PassApp(options)
        let store = try app.tokens()
        var table = Table(of: app)
        if let requestor {
            let known = try store.storedIntegrations(of: requestor) + (try earlier(app, of: requestor))
            let report = try store.configure(chosen.configuration(of: requestor, with: known))
            table.add("requestor", "requestor", requestor)
            table.add("imported", "imported", report.hasImported)
            add(report.session, to: &table)
            table.add("expiredTokens", "expired tokens removed", report.expiredTokens)
        } else {
            let token = try AuthenticationToken(fragment: try StandardInput.rest(atMost: 1 << 20))
            let mvpds = chosen.mvpd.isEmpty ? [token.mvpd] : chosen.mvpd
            let configuration = RequestorConfiguration(
                id: token.requestor,
                integrations: mvpds.map { MVPDIntegration(mvpd: $0, isPerRequestor: perRequestor) }
            )
            let session = try store.signIn(token, for: configuration)
            table.add("requestor", "requestor", token.requestor)
            table.add("imported", "imported", true)
            add(session, to: &table)
        }
        try table.print(asJSON: options.app.json)
    }

    private func add(_ session: PassSession?, to table: inout Table) {
        table.add("mvpd", "TV provider", session?.token.mvpd)
        table.add("expires", "valid until", session?.token.expires.ISO8601Format())
    }

    /// Returns the programmer's TV providers in other layouts. Skips damaged layouts and those of a newer version.
    private func earlier(_ app: PassApp, of requestor: String) throws(PassStoreError) -> [MVPDIntegration] {
        var stored: [MVPDIntegration] = []
        for generation in StorageGeneration.allCases where generation != options.layout.generation {
            do throws(PassStoreError) {
                stored += try app.tokens(in: generation).storedIntegrations(of: requestor)
            } catch {
                guard error.code == .damaged || error.code == .newerSchema else { throw error }
            }
        }
        return stored
    }
}
