internal import ArgumentParser
internal import CommandLineSupport
internal import SharedAuth

/// Prints what is known, and exits with the state's code.
struct Status: ParsableCommand {
    static let configuration = CommandConfiguration(
        verb: "status",
        abstract: "Say who is signed in, in which access group, and who keeps the secrets.",
        discussion: """
            The exit status is that of what keeps it from being known. With --all, a line for each slot that the app may use: its \
            own, those of the declared groups, and the one in use, which has an asterisk.
            """,
        examples: [
            "sharedauth status --app-id com.example.Mail",
            "sharedauth status --all --declare group.com.example.office",
        ]
    )

    @Flag(help: "Show every slot that the app may use, each on a line.")
    var all = false

    @OptionGroup(visibility: .ofSharedOptions) var app: AppOptions

    func run() throws {
        let auth = try app.auth()
        if all { return try SlotList(of: auth).print(asJSON: app.json) }
        let state = auth.loadedState
        var report = Report(of: auth, in: state)
        report.add("state", .string(state.name), row: "state", text: state.name)
        // A keyring that has not answered for the time of a call has a moment more to be named.
        let isMute = state.failure(in: nil)?.code == .timedOut
        let store = try? isMute ? auth.storeStatus(by: .after(.milliseconds(500))) : auth.storeStatus()
        let isFile = store?.kind == .encryptedFile
        if let store, isFile {
            report.add("store", .string(store.kind.rawValue), row: "store", text: "encrypted files")
        }
        report.add(
            "provider",
            JSONValue(store?.daemon),
            row: "keyring",
            text: store?.daemon ?? (isFile ? "none" : "no answer")
        )
        report.add("locked", store?.isLocked.map(JSONValue.bool) ?? .null, row: "locked", text: word(store?.isLocked))
        try report.print(asJSON: app.json)
        if let silence = state.silence { throw silence }
        if let failure = state.failure(in: auth.userAccessGroup) { throw failure }
    }

    private func word(_ isLocked: Bool?) -> String {
        isLocked.map { $0 ? "yes" : "no" } ?? "unknown"
    }
}
