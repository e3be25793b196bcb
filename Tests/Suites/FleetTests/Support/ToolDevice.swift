import EncryptedFiles
import Foundation
import SharedAuth
import SharedAuthRecords
import TestSupport

@testable import SharedAuthFleet

/// A device on which a test runs `sharedauth fleet`, with a store of encrypted files.
struct ToolDevice {
    let directory = TestDirectory.newPath()

    init() throws {
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        try Data((0..<32).map { _ in .random(in: .min ... .max) }).write(to: URL(filePath: "\(directory)/key"))
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: "\(directory)/key")
    }

    /// The local store that the tool uses.
    var local: EncryptedFileRecordStore {
        EncryptedFileRecordStore(directory: "\(directory)/store", key: .keyFile("\(directory)/key"))
    }

    /// The store as an app of the device has it.
    var store: FleetRecordStore { FleetRecordStore(local: local) }

    func run(_ words: [String], input: String = "") throws -> ProcessResult {
        // libpq's variables and service files have no effect.
        let environment = [
            "HOME": directory, "PATH": "/usr/bin:/bin", "SHAREDAUTH_STORE": "file", "PGHOST": "/nonexistent",
            "SHAREDAUTH_STORE_DIRECTORY": "\(directory)/store", "SHAREDAUTH_KEY_FILE": "\(directory)/key",
            "PGPORT": "1",
            "PGDATABASE": "no_such_database", "PGUSER": "nobody_knows", "PGSSLMODE": "nonsense",
            "PGHOSTADDR": "192.0.2.1",
            "PGOPTIONS": "-c row_security=off", "PGTARGETSESSIONATTRS": "standby", "PGCONNECT_TIMEOUT": "x",
        ]
        return try ProcessResult(
            of: [try BuiltProducts.executable("sharedauth"), "fleet"] + words,
            environment: environment,
            input: input,
            files: "\(directory)/tool"
        )
    }
}

extension PostgresFleet {
    /// The tool's options for the server.
    var toolOptions: [String] {
        ["--host", server.directory, "--database", PrivatePostgres.database, "--role", role]
    }
}
