internal import ArgumentParser
internal import CommandLineSupport
internal import LocalIdentity
internal import SharedAuth

/// Who the app is, and how the answer is printed.
struct AppOptions: ParsableArguments {
    @OptionGroup var identity: IdentityOptions

    @Option(help: ArgumentHelp("The project; apps of different projects share nothing.", valueName: "key"))
    var project = "default"

    @OptionGroup var store: StoreOptions

    @Flag(help: "Print JSON.")
    var json = false

    /// The `Auth` of this app for one call: it does not observe other processes.
    func auth() throws -> Auth {
        Auth.auth(app: try AuthApp.configure(try configuration()))
    }

    /// How the library is to be configured for this app, on a store that was made before, or on the one that the
    /// options name: then a passphrase is read from standard input now.
    func configuration(on store: (any RecordStore)? = nil) throws -> AuthApp.Options {
        AuthApp.Options(
            appID: identity.appID,
            teamID: identity.teamID,
            accessGroups: identity.accessGroups,
            project: project,
            identityProvider: .local,
            store: .custom(try store ?? self.store.recordStore()),
            observesOtherProcesses: false
        )
    }
}
