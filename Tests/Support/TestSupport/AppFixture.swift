internal import FoundationEssentials
package import SharedAuth
internal import Testing

/// A project on a keyring and a state directory, which the apps of one test share and no other test sees.
package struct AppFixture: Sendable {
    package let keyring: PrivateKeyring
    /// The address of the apps' bus.
    package var busAddress: String
    package var project = "test-\(UUID().uuidString)"
    package var state: String
    /// The store of the records; nil for the keyring.
    package let files: FileSite?

    package init(_ keyring: PrivateKeyring? = nil, on store: StoreKind = .secretService) throws {
        self.keyring = try keyring ?? PrivateKeyring.shared.get()
        busAddress = self.keyring.busAddress
        state = "\(self.keyring.directory)/state-\(project)"
        files = store == .encryptedFile ? try FileSite(in: "\(self.keyring.directory)/files-\(project)") : nil
    }
}

/// The stores whose processes share what they hold; they pass the same tests.
package enum StoreKind: String, CaseIterable, Sendable, CustomTestStringConvertible {
    case secretService
    case encryptedFile

    package var testDescription: String { rawValue }
}

/// The directory and the key file of a test's encrypted-file store.
package struct FileSite: Sendable {
    package let directory: String
    package let keyFile: String

    package init(in root: String) throws {
        directory = "\(root)/store"
        keyFile = "\(root)/key"
        try FileManager.default.createDirectory(atPath: root, withIntermediateDirectories: true)
        let key = Data((0..<32).map { _ in UInt8.random(in: .min ... .max) })
        _ = FileManager.default.createFile(atPath: keyFile, contents: key, attributes: [.posixPermissions: 0o600])
    }

    /// A store here, as another process would have it.
    package func store() -> EncryptedFileRecordStore {
        EncryptedFileRecordStore(directory: directory, key: .keyFile(keyFile))
    }
}
