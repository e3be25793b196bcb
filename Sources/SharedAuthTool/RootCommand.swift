internal import ArgumentParser
internal import CommandLineSupport
internal import SharedAuth

/// The command-line tool: one verb per call of the library.
@main
struct RootCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sharedauth",
        abstract: "One sign-in for all apps of an access group.",
        discussion: """
            Options for all verbs stand before or after the verb. Without --app-id, the app id is the Flatpak id, else \
            SHAREDAUTH_APP_ID, else the name of the snap or the program. Without --declare, the declared access groups are those in \
            SHAREDAUTH_ACCESS_GROUPS, separated by colons; if there are none, any well-formed group may be used.

            New records go to the keyring's default collection, unless --collection (or SHAREDAUTH_COLLECTION) names \
            another, or --collection-by-group one for each group. Records are found wherever they are.

            Where there is no Secret Service, --store file (or SHAREDAUTH_STORE=file) keeps users in encrypted files, with \
            a key from --key-file (SHAREDAUTH_KEY_FILE), --credential (SHAREDAUTH_CREDENTIAL) or --passphrase-stdin, in \
            --store-directory (SHAREDAUTH_STORE_DIRECTORY), else in $XDG_DATA_HOME/sharedauth/store.

            Exit status: 0 done; 64 usage, malformed group or app id, input that is not UTF-8; 65 damaged record, or one of a \
            newer version; 67 no user, or an unknown account; 69 no session bus, no keyring; 70 anything else; 74 the answer \
            could not be written; 75 locked, or timed out; 77 refused, or another issuer's account.
            """,
        version: Version.current,
        subcommands: [
            Status.self, SignIn.self, SignOut.self, UseGroup.self, StoredUser.self, UpdateCurrentUser.self, Watch.self,
            Token.self, List.self, Migrate.self, CreateCollection.self, Doctor.self, SetAside.self, Pass.self,
        ]
    )

    // The parser hands these to the verbs, whose own are of the same type: before or after the verb is all the same.
    @OptionGroup(title: "Options for all verbs") var app: AppOptions

    static func main() {
        CommandLineProgram.run(Self.self)
    }
}
