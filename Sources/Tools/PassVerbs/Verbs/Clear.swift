internal import ArgumentParser
internal import CommandLineSupport
internal import PassAuth
internal import SharedAuth

/// Logs out by clearing the store.
struct Clear: ParsableCommand {
    static let configuration = CommandConfiguration(
        verb: "clear",
        abstract: "Log out of every programmer and TV provider, in every app of the access group.",
        discussion: """
            Device ids and earlier layouts stay; earlier layouts are no longer imported. Unreadable records are \
            deleted too, including those that were set aside.
            """,
        examples: [
            "sharedauth pass clear --group group.com.example.tv",
            "sharedauth pass clear --group group.com.example.tv --json",
        ]
    )

    @OptionGroup(title: "Options for all verbs of pass") var options: PassOptions

    func run() throws {
        let app = try PassApp(options)
        let store = try app.tokens()
        let contents: StoreContents?
        do throws(PassStoreError) {
            contents = try store.contents()
        } catch {
            // A damaged store cannot be counted, but it can be cleared.
            guard error.code == .damaged else { throw error }
            contents = nil
        }
        try store.logOut()
        var table = Table(of: app)
        let stored = contents?.tokens
        let authorizations = stored.map { $0.flatMap(\.caches.values).reduce(0) { $0 + $1.authorizationCount } }
        table.add("authenticationTokens", "authentication tokens cleared", stored?.count)
        table.add("authorizationTokens", "authorization tokens cleared", authorizations)
        table.add("wasDamaged", "was damaged", contents?.unreadable.isEmpty != true)
        try table.print(asJSON: options.app.json)
    }
}
