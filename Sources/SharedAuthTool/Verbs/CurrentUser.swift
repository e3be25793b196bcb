internal import ArgumentParser
internal import CommandLineSupport
internal import SharedAuth

/// Prints what is known, and exits with the state's code.
struct Status: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status",
        abstract: "Say who is signed in, in which access group, and who keeps the secrets."
    )

    @OptionGroup(title: "Options for all verbs") var app: AppOptions

    func run() throws {
        let auth = try app.auth()
        let state = auth.loadedState
        var report = Report(of: auth)
        report.add("state", .string(state.name), "state", state.name)
        let store = try? auth.storeStatus()
        let isFile = store?.kind == .encryptedFile
        if let store, isFile { report.add("store", .string(store.kind.rawValue), "store", "encrypted files") }
        report.add(
            "provider",
            JSONValue(store?.daemon),
            "keyring",
            store?.daemon ?? (isFile ? "none" : "no answer")
        )
        report.add("locked", store?.isLocked.map(JSONValue.bool) ?? .null, "locked", word(store?.isLocked))
        try report.print(asJSON: app.json)
        if let failure = state.failure(in: auth.userAccessGroup) { throw failure }
    }

    private func word(_ isLocked: Bool?) -> String {
        isLocked.map { $0 ? "yes" : "no" } ?? "unknown"
    }
}
