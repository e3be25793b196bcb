internal import ArgumentParser
internal import CommandLineSupport
internal import SharedAuth

/// Creates the keyring collection that the options name.
struct CreateCollection: ParsableCommand {
    static let configuration = CommandConfiguration(
        verb: "create-collection",
        abstract: "Create the keyring collection that --collection or --collection-by-group names.",
        discussion: """
            The keyring prompts the user for a password for the new collection. An existing collection is not changed. \
            Without a display there can be no prompt, and the call is refused.
            """,
        examples: [
            "sharedauth create-collection --collection Office",
            "sharedauth create-collection --collection-by-group --group group.com.example.x",
        ]
    )

    @Option(help: "The access group, with --collection-by-group.", completion: .accessGroups)
    var group: String?

    @OptionGroup(visibility: .ofSharedOptions) var app: AppOptions

    func validate() throws {
        if case .standard = try app.recordCollection() {
            throw ValidationError("Name the collection, with --collection or --collection-by-group.")
        }
        if app.collectionByGroup, group == nil { throw ValidationError("--collection-by-group needs --group.") }
    }

    func run() throws {
        let auth = try app.auth()
        let group = group
        try result { () async throws(AuthError) in try await auth.createCollection(forAccessGroup: group) }
        try Report(of: auth).print(asJSON: app.json)
    }
}
