internal import ArgumentParser
internal import CommandLineSupport
internal import DesktopSupport
internal import SharedAuth

/// Prints the state of the slot in use. If the state is unknown, exits with the status of the cause.
struct Status: ParsableCommand {
    static let configuration = CommandConfiguration(
        verb: "status",
        abstract: "Print the current user, the access group in use, and the keyring that keeps the secrets.",
        discussion: """
            If the state is unknown, the exit status is that of the cause. If the user must sign in again, it says \
            so. With --all, prints a line for each slot \
            that the app may use: its own, those of the declared groups, and the one in use, marked by an asterisk.
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
        // The keyring replies to both requests in the same time.
        let status = Monitor<Result<RecordStoreStatus, AuthError>?>(nil)
        startThread(named: "status") {
            let result = Result { () throws(AuthError) in try auth.storeStatus() }
            status.update { $0 = result }
        }
        let state = auth.loadedState
        let store = try? status.wait(until: .after(.seconds(10)), { $0 })?.get()
        var report = Report(of: auth, in: state)
        report.add("state", .string(state.name), row: "state", text: state.name)
        // Nothing is asked again: a keyring that did not answer would take as long once more.
        if case .signedIn(let user) = state, let failure = user.sessionFailure {
            report.add("sessionError", .string(failure.text), row: "session", text: failure.text)
        }
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
