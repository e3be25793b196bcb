internal import ArgumentParser
internal import CommandLineSupport
internal import DesktopSupport
internal import IdentityToolkit
internal import LocalIdentity
internal import OpenIDConnect
internal import SecretService
internal import SharedAuth

/// The options that every verb has, as the library takes them. A verb's help does not list them: `sharedauth help options` does.
extension AppOptions {
    /// The options that name the app and the project, as this call has them, for a command that a person is to run next.
    var naming: String {
        let options = [("--app-id", appID), ("--project", project)]
        return options.map { name, value in value.map { " \(name) \($0.quotedForShell)" } ?? "" }.joined()
    }

    /// The `Auth` of this app for one call: it does not observe other processes.
    ///
    /// - Parameter identityProvider: who users are signed in with; nil: the embedded identity provider, and sessions that are stored
    ///   are acted on by their own issuer.
    func auth(
        keepingOtherUsers keepsOtherUsers: Bool = false,
        signingInWith identityProvider: (any IdentityProvider)? = nil
    ) throws -> Auth {
        var options = try configuration()
        options.keepsOtherUsers = keepsOtherUsers
        if let identityProvider { options.identityProvider = IdentityProviderFactory { _ in identityProvider } }
        return Auth.auth(app: try AuthApp.configure(options))
    }

    /// How long a call of the store may take. Each process of the tool derives the key of a passphrase again, which a slow or busy
    /// machine takes long for.
    private var timeout: Duration { passphraseStdin ? .seconds(60) : .seconds(5) }

    /// How the library is to be configured for this app, on a store that was made before, or on the one that the
    /// options name: then a passphrase is read from standard input now.
    func configuration(on store: (any RecordStore)? = nil) throws -> AuthApp.Options {
        AuthApp.Options(
            appID: appID,
            teamID: teamID,
            accessGroups: accessGroups,
            project: project ?? Environment["SHAREDAUTH_PROJECT"] ?? "default",
            identityProvider: .localOrStored,
            store: .custom(try store ?? recordStore()),
            timeout: timeout,
            observesOtherProcesses: false
        )
    }
}

extension IdentityProviderFactory {
    /// The embedded identity provider, and for a stored session of Firebase or an OpenID provider that one: its issuer says which
    /// it is.
    fileprivate static var localOrStored: IdentityProviderFactory {
        var factory = IdentityProviderFactory.local
        factory.makeOther = { issuer in
            if let toolkit = IdentityToolkit(issuer: issuer) { return toolkit }
            guard var client = OpenIDClient(issuer: issuer) else { return nil }
            client.clientSecret = ClientSecret.ofEnvironment(for: client.issuerURL)
            return OpenIDProviders.make(client)
        }
        return factory
    }
}

/// The client secret in the environment.
enum ClientSecret {
    private static let issuer = "\(SecretVariables.clientSecret)_ISSUER"

    /// The secret, if it is this issuer's: a stored session may name any issuer, and its secret goes to no other.
    static func ofEnvironment(for issuerURL: String) -> String? {
        guard let secret = Environment[SecretVariables.clientSecret] else { return nil }
        guard let named = Environment[issuer] else {
            StandardError.write(
                line:
                    "The client secret in \(SecretVariables.clientSecret) is not sent. Name the issuer URL that it is for in "
                    + "\(issuer)."
            )
            return nil
        }
        return named == issuerURL ? secret : nil
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
            SHAREDAUTH_TEAM_ID and SHAREDAUTH_PROJECT stand for --team-id and --project; without either, the project is \
            'default'. SHAREDAUTH_CLIENT_SECRET is the client secret of a session of an OpenID provider, if there is one, and \
            SHAREDAUTH_CLIENT_SECRET_ISSUER the issuer URL that alone gets it; SHAREDAUTH_API_KEY is the key of a Firebase project, for sign-ins.

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
