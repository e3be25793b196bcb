package import EncryptedFiles
internal import FoundationEssentials
internal import SharedAuth
internal import Testing

/// A project on a keyring and a state directory, shared by the apps of one test and separate from all other tests.
package struct AppFixture: Sendable {
    package let keyring: PrivateKeyring
    /// The address of the bus that the apps use.
    package var busAddress: String
    package var project = "test-\(UUID().uuidString)"
    package var state: String
    /// The location of the records if they are not in the keyring.
    package let files: FileSite?

    package init(_ keyring: PrivateKeyring? = nil, on store: StoreKind = .secretService) throws {
        self.keyring = try keyring ?? PrivateKeyring.shared.get()
        busAddress = self.keyring.busAddress
        state = "\(self.keyring.directory)/state-\(project)"
        files = store == .encryptedFile ? try FileSite(in: "\(self.keyring.directory)/files-\(project)") : nil
    }
}

/// The stores that several processes share; the same tests run on each.
package enum StoreKind: String, CaseIterable, Sendable, CustomTestStringConvertible {
    case secretService
    case encryptedFile

    package var testDescription: String { rawValue }
}

/// The directory and the key file of a test's encrypted-file store.
package struct FileSite: Sendable {
    package let root: String
    package let directory: String
    package let keyFile: String

    package init(in root: String) throws {
        self.root = root
        directory = "\(root)/store"
        keyFile = "\(root)/key"
        try FileManager.default.createDirectory(atPath: root, withIntermediateDirectories: true)
        let key = Data((0..<32).map { _ in UInt8.random(in: .min ... .max) })
        _ = FileManager.default.createFile(atPath: keyFile, contents: key, attributes: [.posixPermissions: 0o600])
    }

    /// Returns a store of this directory, as another process opens it.
    package func store() -> EncryptedFileRecordStore {
        EncryptedFileRecordStore(directory: directory, key: .keyFile(keyFile))
    }
}
