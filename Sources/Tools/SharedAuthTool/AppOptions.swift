internal import ArgumentParser
internal import CommandLineSupport
internal import DesktopSupport
internal import IdentityToolkit
internal import LocalIdentity
internal import OpenIDConnect
internal import SecretService
internal import SharedAuth

/// Conversion of the shared options to the library's options. A verb's help does not list them; `sharedauth help
/// options` does.
extension AppOptions {
    /// The options that name the app and the project of this call, for a command that the user is to run next.
    var naming: String {
        let options = [("--app-id", appID), ("--project", project)]
        return options.map { name, value in value.map { " \(name) \($0.quotedForShell)" } ?? "" }.joined()
    }

    /// Creates the `Auth` of this app for one call. It does not observe other processes.
    ///
    /// - Parameter identityProvider: The provider that signs users in. If nil, the embedded identity provider is used,
    ///   and stored sessions are handled by their own issuers.
    func auth(
        keepingOtherUsers keepsOtherUsers: Bool = false,
        signingInWith identityProvider: IdentityProviderFactory? = nil
    ) throws -> Auth {
        var options = try configuration()
        options.keepsOtherUsers = keepsOtherUsers
        if let identityProvider { options.identityProvider = identityProvider }
        return Auth.auth(app: try AuthApp.configure(options))
    }

    /// The time limit of a call of the store. Each process of the tool derives the key from a passphrase again, which
    /// takes long on a slow or busy machine.
    private var timeout: Duration { passphraseStdin ? .seconds(60) : .seconds(5) }

    /// Returns the library's configuration for this app, on an existing store or on the one that the options select. In
    /// the latter case, a passphrase is read from standard input now.
    func configuration(on store: (any RecordStore)? = nil) throws -> AuthApp.Options {
        let store = try store ?? recordStore()
        return AuthApp.Options(
            appID: appID,
            teamID: teamID,
            accessGroups: accessGroups,
            project: projectName,
            identityProvider: .localOrStored(in: store, project: projectName),
            store: .custom(store),
            timeout: timeout,
            observesOtherProcesses: false
        )
    }
}

extension IdentityProviderFactory {
    /// An identity provider that needs nothing of the app.
    static func only(_ identityProvider: any IdentityProvider) -> IdentityProviderFactory {
        IdentityProviderFactory { _ in identityProvider }
    }

    /// The embedded identity provider. A stored session of Firebase, an OpenID provider or an OAuth 2 server uses that
    /// provider, as determined by its issuer.
    fileprivate static func localOrStored(in store: any RecordStore, project: String) -> IdentityProviderFactory {
        var factory = IdentityProviderFactory.local
        factory.makeOther = { issuer in
            if let toolkit = IdentityToolkit(issuer: issuer) { return toolkit }
            let secret = ClientSecret.ofEnvironment(for:)
            guard let found = RemoteIssuer.provider(named: issuer, in: store, project: project, secret: secret) else {
                return nil
            }
            return RemoteProviders.noting(found)
        }
        return factory
    }
}

/// Lists the shared options.
struct OptionsHelp: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "options",
        abstract: "Show the options that every verb has.",
        usage: "sharedauth [<options>] <verb> [<options>]",
        discussion: """
            They can be given before or after the verb. Without --app-id, the app id is the Flatpak id, else \
            SHAREDAUTH_APP_ID, else the name of the snap or the program. Without --declare, the declared access groups \
            are those in SHAREDAUTH_ACCESS_GROUPS, separated by colons; if there are none, any well-formed group may \
            be used. SHAREDAUTH_TEAM_ID and SHAREDAUTH_PROJECT are used in place of --team-id and --project; without \
            either, the project is 'default'. SHAREDAUTH_CLIENT_SECRET is the client secret for a session of an OpenID \
            provider, if it needs one, and SHAREDAUTH_CLIENT_SECRET_ISSUER the only issuer URL that receives it. \
            SHAREDAUTH_API_KEY is the key of a Firebase project, for sign-ins.

            New records are stored in the keyring's default collection, unless --collection (or SHAREDAUTH_COLLECTION) \
            names another, or --collection-by-group one for each group. Existing records are found in any collection.

            Without a Secret Service, --store file (or SHAREDAUTH_STORE=file) keeps users in encrypted files, with a \
            key from --key-file (SHAREDAUTH_KEY_FILE), --credential (SHAREDAUTH_CREDENTIAL) or --passphrase-stdin, in \
            --store-directory (SHAREDAUTH_STORE_DIRECTORY), else in $XDG_DATA_HOME/sharedauth/store.

            With --json, an error is one line of JSON on standard error.
            """
    )

    @OptionGroup(title: "Options for all verbs") var app: AppOptions

    func run() throws { throw CleanExit.helpRequest(self) }
}
