internal import ArgumentParser
internal import CommandLineSupport
internal import FoundationEssentials
internal import PassAuth
internal import SharedAuth

/// Prints a programmer's sign-in state. If the store cannot be read, exits with the status of the cause.
struct Status: ParsableCommand {
    static let configuration = CommandConfiguration(
        verb: "status",
        abstract: "Show whether a programmer is signed in, with which TV provider, and until when.",
        examples: [
            "sharedauth pass status --requestor ExampleNews",
            "sharedauth pass status --requestor ExampleNews --json",
        ]
    )

    @Option(help: ArgumentHelp("The programmer (requestor).", valueName: "id"))
    var requestor: String

    @OptionGroup var chosen: MVPDOptions

    @OptionGroup(title: "Options for all verbs of pass") var options: PassOptions

    func run() throws {
        let app = try PassApp(options)
        let found = Result { () throws(PassStoreError) in try look(app) }
        var table = Table(of: app)
        table.add("requestor", "requestor", requestor)
        table.add("state", "state", found.name)
        let finding = try? found.get()
        let session = finding?.session
        table.add("mvpd", "TV provider", session?.token.mvpd ?? finding?.selected)
        table.add("issuedTo", "issued to", session?.token.requestor)
        table.add("expires", "valid until", session?.token.expires.ISO8601Format())
        table.add("device", "device", options.device.rawValue)
        let store = app.storeStatus()
        let isFile = store?.kind == .encryptedFile
        if let store, isFile { table.add("store", .string(store.kind.rawValue), row: "store", text: "encrypted files") }
        table.add("keyring", "keyring", store?.daemon, otherwise: isFile ? "none" : "no answer")
        table.add("locked", "locked", store?.isLocked)
        try table.print(asJSON: options.app.json)
        _ = try found.get()
    }

    private func look(_ app: PassApp) throws(PassStoreError) -> Finding {
        let store = try app.tokens()
        let configuration = chosen.configuration(of: requestor, with: try store.storedIntegrations(of: requestor))
        return Finding(session: try store.session(of: configuration), selected: try store.selection(of: requestor).mvpd)
    }
}

/// A programmer's state in the store.
private struct Finding {
    let session: PassSession?
    let selected: String?
}

extension Result<Finding, PassStoreError> {
    /// The name of the state, as `--json` prints it.
    fileprivate var name: String {
        switch self {
        case .success(let finding):
            return finding.session == nil ? "signed-out" : "signed-in"
        case .failure(let error):
            return switch error.code {
            case .locked: "locked"
            case .damaged, .newerSchema: "damaged"
            case .unavailable: "unavailable"
            default: "unknown"
            }
        }
    }
}
