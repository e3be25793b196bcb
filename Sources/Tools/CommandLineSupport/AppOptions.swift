package import ArgumentParser
internal import DesktopSupport
internal import EncryptedFiles
package import SecretService
package import SharedAuth

/// The options for the app's identity, its record store, and the output format.
///
/// They form one option group and not several: a debug build of the argument parser validates a nested group four times
/// for each validation of the group around it.
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

    @Option(help: "The record store: secret-service (unless SHAREDAUTH_STORE says otherwise), or file.")
    package var store: Store?

    @Option(
        help: ArgumentHelp("The keyring's collection for new records; else the default one.", valueName: "label")
    )
    package var collection: String?

    @Flag(help: "Store new records of a group in the collection named after it.")
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

    /// Creates the options of a call that gives no other option than this.
    package init(onlyAppID appID: String?) {
        self.appID = appID
        (givenTeamID, declare, project) = (nil, [], nil)
        (store, collection, collectionByGroup) = (nil, nil, false)
        (storeDirectory, keyFile, credential, passphraseStdin) = (nil, nil, nil, false)
        (verbose, json) = (false, false)
    }

    /// The team id from the options, or from the environment.
    package var teamID: String? { givenTeamID ?? Environment["SHAREDAUTH_TEAM_ID"] }

    /// The project from the options, or from the environment; `default` without either.
    package var projectName: String { project ?? Environment["SHAREDAUTH_PROJECT"] ?? "default" }

    /// The declared access groups from the options, or from the environment.
    package var accessGroups: [String] { declare.isEmpty ? Environment.accessGroups : declare }
}

/// The record store that options and environment select.
extension AppOptions {
    /// Returns the store that options and environment select. Options take precedence. Reads a passphrase from standard
    /// input now; nothing else is read.
    ///
    /// - Throws: A usage error if the options contradict each other. Only the requested store is used.
    package func recordStore() throws -> any RecordStore {
        switch try kind() {
        case .secretService:
            guard keyFile == nil, credential == nil, !passphraseStdin, storeDirectory == nil else {
                throw ValidationError("Options for a file store need --store file.")
            }
            return SecretServiceRecordStore(SecretService(secretService), collection: try recordCollection())
        case .file:
            guard collection == nil, !collectionByGroup else {
                throw ValidationError("Files have no collections: leave --collection and --collection-by-group out.")
            }
            let directory = storeDirectory ?? Environment["SHAREDAUTH_STORE_DIRECTORY"]
            let steps = verbose ? CallLog.fileSteps : .none
            return EncryptedFileRecordStore(directory: directory, key: try key(), steps: steps)
        }
    }

    /// The Secret Service of the session.
    package var secretService: SecretService.Configuration {
        var configuration = SecretService.Configuration()
        if verbose { configuration.trace = CallLog.calls }
        return configuration
    }

    /// Returns the collection of the Secret Service that options and environment select.
    package func recordCollection() throws -> RecordCollection {
        if collectionByGroup {
            guard collection == nil else {
                throw ValidationError("Give one of --collection and --collection-by-group.")
            }
            return .namedByGroup
        }
        return (collection ?? Environment["SHAREDAUTH_COLLECTION"]).map(RecordCollection.named) ?? .standard
    }

    private func kind() throws -> Store {
        if let store { return store }
        guard let name = Environment["SHAREDAUTH_STORE"] else { return .secretService }
        guard let kind = Store(rawValue: name) else {
            throw ValidationError("SHAREDAUTH_STORE is neither secret-service nor file.")
        }
        return kind
    }

    private func key() throws -> FileStoreKey {
        guard [keyFile != nil, credential != nil, passphraseStdin].count(where: { $0 }) <= 1 else {
            throw ValidationError("Give one of --key-file, --credential and --passphrase-stdin.")
        }
        if passphraseStdin {
            return .passphrase(Secret(try Terminal.hiddenLine("passphrase", asking: "Passphrase of the store")))
        }
        if let keyFile { return .keyFile(keyFile) }
        if let credential { return .systemdCredential(credential) }
        switch (Environment["SHAREDAUTH_KEY_FILE"], Environment["SHAREDAUTH_CREDENTIAL"]) {
        case (let path?, nil): return .keyFile(path)
        case (nil, let name?): return .systemdCredential(name)
        default:
            throw ValidationError(
                "A file store needs one of --key-file (or SHAREDAUTH_KEY_FILE), --credential (or SHAREDAUTH_CREDENTIAL) "
                    + "and --passphrase-stdin."
            )
        }
    }
}

extension Environment {
    /// The access groups in `SHAREDAUTH_ACCESS_GROUPS`. An empty one among them is kept, and later refused as
    /// malformed.
    package static var accessGroups: [String] {
        Self["SHAREDAUTH_ACCESS_GROUPS"]?.split(separator: ":", omittingEmptySubsequences: false).map(String.init) ?? []
    }
}
