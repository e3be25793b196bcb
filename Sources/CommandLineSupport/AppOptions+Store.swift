internal import ArgumentParser
package import SecretService
package import SharedAuth

/// Where users or tokens are stored, as options and environment say together.
extension AppOptions {
    /// The store that options and environment name together. What is given as an option counts first. A passphrase is
    /// read from standard input now; nothing else is.
    ///
    /// - Throws: a usage error when they do not go together: no other store is used than the one asked for.
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

    /// The collection of the Secret Service that options and environment name together.
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
