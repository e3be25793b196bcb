internal import ArgumentParser
internal import CommandLineSupport
internal import LocalIdentity
internal import SecretService
internal import SharedAuth

/// Who the app is, where its users are, and how the answer is printed: the options that every verb has. A verb's help does not
/// list them: `sharedauth help options` does.
///
/// Option groups stand in it, and it stands in a verb, no deeper: a debug build of the argument parser checks each group four
/// times for each time that it checks the one around it.
struct AppOptions: ParsableArguments {
    @OptionGroup var identity: IdentityOptions

    @Option(
        help: ArgumentHelp("The project, 'default' unless named; projects share nothing.", valueName: "key"),
        completion: .projects
    )
    var project: String?

    @OptionGroup var store: StoreOptions

    @Flag(help: "Print JSON, errors too.")
    var json = false

    /// The `Auth` of this app for one call: it does not observe other processes.
    func auth(keepingOtherUsers keepsOtherUsers: Bool = false) throws -> Auth {
        var options = try configuration()
        options.keepsOtherUsers = keepsOtherUsers
        return Auth.auth(app: try AuthApp.configure(options))
    }

    /// How the library is to be configured for this app, on a store that was made before, or on the one that the
    /// options name: then a passphrase is read from standard input now.
    func configuration(on store: (any RecordStore)? = nil) throws -> AuthApp.Options {
        AuthApp.Options(
            appID: identity.appID,
            teamID: identity.teamID,
            accessGroups: identity.accessGroups,
            project: project ?? Environment["SHAREDAUTH_PROJECT"] ?? "default",
            identityProvider: .local,
            store: .custom(try store ?? self.store.recordStore()),
            observesOtherProcesses: false
        )
    }
}

/// Lists the shared options.
struct OptionsHelp: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "options",
        abstract: "Show the options that every verb has.",
        usage: "sharedauth [<options>] <verb> [<options>]",
        discussion: """
            They stand before or after the verb. Without --app-id, the app id is the Flatpak id, else SHAREDAUTH_APP_ID, else \
            the name of the snap or the program. Without --declare, the declared access groups are those in \
            SHAREDAUTH_ACCESS_GROUPS, separated by colons; if there are none, any well-formed group may be used. \
            SHAREDAUTH_TEAM_ID and SHAREDAUTH_PROJECT stand for --team-id and --project.

            New records go to the keyring's default collection, unless --collection (or SHAREDAUTH_COLLECTION) names \
            another, or --collection-by-group one for each group. Records are found wherever they are.

            Where there is no Secret Service, --store file (or SHAREDAUTH_STORE=file) keeps users in encrypted files, with \
            a key from --key-file (SHAREDAUTH_KEY_FILE), --credential (SHAREDAUTH_CREDENTIAL) or --passphrase-stdin, in \
            --store-directory (SHAREDAUTH_STORE_DIRECTORY), else in $XDG_DATA_HOME/sharedauth/store.

            With --json, an error is one line of JSON on standard error.
            """
    )

    @OptionGroup(title: "Options for all verbs") var app: AppOptions

    func run() throws { throw CleanExit.helpRequest(self) }
}
