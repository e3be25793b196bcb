import Foundation
import SharedAuth
import SharedAuthRecords
import TestSupport

@testable import SharedAuthFleet

/// A device on which a test runs `sharedauth fleet`, with a store of encrypted files.
struct ToolDevice {
    /// The end of the tool.
    struct Answer {
        let status: Int32
        let standardOutput: String
        let standardError: String
    }

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

    func run(_ words: [String], input: String = "") throws -> Answer {
        let process = Process()
        // Files: a program that another test starts at the same time would inherit pipes, and keep them open.
        let files = ["in", "out", "err"].map { URL(filePath: "\(directory)/standard-\($0)") }
        for (file, text) in zip(files, [input, "", ""]) { try Data(text.utf8).write(to: file) }
        process.executableURL = URL(filePath: try BuiltProducts.executable("sharedauth"))
        process.arguments = ["fleet"] + words
        // libpq's variables and service files have no effect.
        process.environment = [
            "HOME": directory, "PATH": "/usr/bin:/bin", "SHAREDAUTH_STORE": "file", "PGHOST": "/nonexistent",
            "SHAREDAUTH_STORE_DIRECTORY": "\(directory)/store", "SHAREDAUTH_KEY_FILE": "\(directory)/key",
            "PGPORT": "1",
            "PGDATABASE": "no_such_database", "PGUSER": "nobody_knows", "PGSSLMODE": "nonsense",
            "PGHOSTADDR": "192.0.2.1",
            "PGOPTIONS": "-c row_security=off", "PGTARGETSESSIONATTRS": "standby", "PGCONNECT_TIMEOUT": "x",
        ]
        process.standardInput = try FileHandle(forReadingFrom: files[0])
        process.standardOutput = try FileHandle(forWritingTo: files[1])
        process.standardError = try FileHandle(forWritingTo: files[2])
        try process.run()
        process.waitUntilExit()
        return Answer(
            status: process.terminationStatus,
            standardOutput: try String(contentsOf: files[1], encoding: .utf8),
            standardError: try String(contentsOf: files[2], encoding: .utf8)
        )
    }
}

extension PostgresFleet {
    /// The tool's options for the server.
    var toolOptions: [String] {
        ["--host", server.directory, "--database", PrivatePostgres.database, "--role", role]
    }
}
