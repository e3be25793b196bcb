internal import ArgumentParser
internal import CommandLineSupport
internal import SecretService
internal import SharedAuth

/// Unlocks the keyring with a prompt.
struct Unlock: ParsableCommand {
    static let configuration = CommandConfiguration(
        verb: "unlock",
        abstract: "Have the keyring prompt the user to unlock it.",
        discussion: """
            The prompt covers the collection for new records, and those that contain the app's records. Without a \
            display there can be no prompt, and the call fails. Once the prompt is shown, waits for up to two minutes.
            """,
        examples: ["sharedauth unlock && sharedauth status", "sharedauth unlock --collection Office"]
    )

    @OptionGroup(visibility: .ofSharedOptions) var app: AppOptions

    func run() throws {
        let auth = try app.auth()
        try result { () async throws(AuthError) in try await auth.unlock() }
        try Report(of: auth).print(asJSON: app.json)
    }
}

/// Locks a collection of the keyring.
struct Lock: ParsableCommand {
    static let configuration = CommandConfiguration(
        verb: "lock",
        abstract: "Lock the keyring collection that --collection names, else the default one.",
        discussion: """
            No user is signed out: until the collection is unlocked, apps have the state 'locked'. All programs use \
            the default collection; before locking it, the tool prompts on a terminal, and requires --yes without one.
            """,
        examples: ["sharedauth lock --collection Office", "sharedauth lock --yes"]
    )

    @Flag(help: "Do not prompt.")
    var yes = false

    @OptionGroup(visibility: .ofSharedOptions) var app: AppOptions

    func run() throws {
        let chosen = try app.recordCollection()
        guard try app.recordStore().kind == .secretService else {
            throw ValidationError("Encrypted files cannot be locked. Leave --store file out.")
        }
        if case .namedByGroup = chosen { throw ValidationError("Name the collection, with --collection.") }
        do {
            let keyring = SecretService(app.secretService)
            let collection = try SecretServiceRecordStore(keyring, collection: chosen).home(by: .after(.seconds(5)))
            if !yes, try keyring.isDefault(collection) { try confirm() }
            try keyring.lock([collection])
            try report(collection)
        } catch let error as SecretServiceError {
            let failure = RecordStoreError(error)
            throw AuthError(
                failure.authErrorCode,
                failure.message,
                remedy: failure.remedy ?? failure.usualRemedy,
                underlying: failure
            )
        }
    }

    private func confirm() throws {
        try Terminal.confirm(
            "Lock the default collection? No program can use its secrets until it is unlocked.",
            orGive: "--yes to lock the default collection, which all programs use"
        )
    }

    private func report(_ collection: SecretCollection) throws {
        let label = try collection.label()
        // KeePassXC completes a second prompt while the first is still open.
        guard try collection.isLocked() else {
            throw AuthError(
                .timedOut,
                "The collection \(label) is not locked yet: the keyring daemon asks on its own display whether to save first.",
                remedy: "Answer it there."
            )
        }
        var table = Table()
        table.add("collection", .string(label), row: "collection", text: label)
        table.add("locked", .bool(true), row: "locked", text: "yes")
        try table.print(asJSON: app.json)
    }
}

extension SecretService {
    /// Returns true if this is the collection that programs use unless they name another.
    fileprivate func isDefault(_ collection: SecretCollection) throws(SecretServiceError) -> Bool {
        do throws(SecretServiceError) {
            return try defaultCollection().path == collection.path
        } catch {
            guard error.code == .noDefaultCollection else { throw error }
            return false
        }
    }
}
