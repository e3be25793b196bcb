package import ArgumentParser
package import SecretService

/// Who the app is, where its users or tokens are, and how the answer is printed.
///
/// These are options in one group and not groups of their own: a debug build of the argument parser checks a group four times
/// for each time that it checks the one around it.
package struct AppOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The app id in reverse DNS form.", valueName: "id"), completion: .appIDs)
    package var appID: String?

    @Option(
        name: .customLong("team-id"),
        help: ArgumentHelp("The team id; access groups then start with it, or with 'group.'.", valueName: "id")
    )
    private var givenTeamID: String?

    @Option(
        help: ArgumentHelp("An access group that the app declares; may be repeated.", valueName: "group"),
        completion: .accessGroups
    )
    package var declare: [String] = []

    @Option(
        help: ArgumentHelp("The project; projects share nothing.", valueName: "key"),
        completion: .projects
    )
    package var project: String?

    /// The kinds of stores.
    package enum Store: String, ExpressibleByArgument {
        case secretService = "secret-service"
        case file
    }

    @Option(help: "Where records are stored: secret-service (unless SHAREDAUTH_STORE says otherwise), or file.")
    package var store: Store?

    @Option(
        help: ArgumentHelp("The keyring's collection for new records; else the default one.", valueName: "label")
    )
    package var collection: String?

    @Flag(help: "Keep new records of a group in the collection that bears its name.")
    package var collectionByGroup = false

    @Option(help: ArgumentHelp("The directory of a file store.", valueName: "path"), completion: .directory)
    package var storeDirectory: String?

    @Option(
        help: ArgumentHelp("The file with the file store's key, 32 random bytes, mode 600.", valueName: "path"),
        completion: .file()
    )
    package var keyFile: String?

    @Option(help: ArgumentHelp("The systemd credential with the file store's key.", valueName: "name"))
    package var credential: String?

    @Flag(help: "Read the file store's passphrase from standard input, as its first line.")
    package var passphraseStdin = false

    @Flag(help: "Print each keyring call or file operation and its duration on standard error, without secrets.")
    package var verbose = false

    @Flag(help: "Print JSON, errors too.")
    package var json = false

    package init() {}

    /// The team id: the one given, else the one that the environment names.
    package var teamID: String? { givenTeamID ?? Environment["SHAREDAUTH_TEAM_ID"] }

    /// The access groups that the app declares: those given, else those that the environment names.
    package var accessGroups: [String] { declare.isEmpty ? Environment.accessGroups : declare }
}

extension Environment {
    /// The access groups in `SHAREDAUTH_ACCESS_GROUPS`; an empty one among them is kept, to be refused as malformed.
    package static var accessGroups: [String] {
        Self["SHAREDAUTH_ACCESS_GROUPS"]?.split(separator: ":", omittingEmptySubsequences: false).map(String.init) ?? []
    }
}
