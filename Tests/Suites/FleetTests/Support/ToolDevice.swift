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

    /// The device's part in a fleet.
    var device: FleetDevice? { get throws { try LocalRecords(local).device(by: .patient) } }

    private var environment: [String: String] {
        // libpq's variables and service files have no effect.
        [
            "HOME": directory, "PATH": "/usr/bin:/bin", "SHAREDAUTH_STORE": "file", "PGHOST": "/nonexistent",
            "SHAREDAUTH_STORE_DIRECTORY": "\(directory)/store", "SHAREDAUTH_KEY_FILE": "\(directory)/key",
            "PGPORT": "1",
            "PGDATABASE": "no_such_database", "PGUSER": "nobody_knows", "PGSSLMODE": "nonsense",
            "PGHOSTADDR": "192.0.2.1",
            "PGOPTIONS": "-c row_security=off", "PGTARGETSESSIONATTRS": "standby", "PGCONNECT_TIMEOUT": "x",
        ]
    }

    private func command(_ words: [String]) throws -> [String] {
        [try BuiltProducts.executable("sharedauth"), "fleet"] + words
    }

    func run(_ words: [String], input: String = "") throws -> ProcessResult {
        try ProcessResult(
            of: command(words),
            environment: environment,
            input: input,
            files: "\(directory)/tool"
        )
    }

    /// Runs `enrol`, and uses what it prints first while it waits.
    ///
    /// - Returns: The result of `join`, and what `enrol` printed next; nil if the other device did not join.
    func enrol(
        _ options: [String] = [],
        _ join: (String) throws -> ProcessResult
    ) throws -> (joined: ProcessResult, admitted: String?) {
        let host = try FleetProcess(of: try command(["enrol"] + options), environment: environment)
        let joined = try join(host.line() ?? "")
        guard joined.status == 0, let admitted = host.line(), host.wait() == 0 else { return (joined, nil) }
        return (joined, admitted)
    }
}

extension PostgresFleet {
    /// The tool's options for the server.
    var toolOptions: [String] {
        ["--host", server.directory, "--database", PrivatePostgres.database, "--role", role]
    }
}
