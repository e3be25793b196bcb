import Foundation
import TestSupport
import Testing

@testable import SharedAuthFleet

/// Tests `sharedauth fleet` on two devices with file stores.
struct ToolTests {
    private let person: PostgresFleet
    private let laptop = TestDirectory.newPath()
    private let desktop = TestDirectory.newPath()

    init() throws {
        person = try PostgresFleet()
        for directory in [laptop, desktop] {
            try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
            try Data((0..<32).map { _ in .random(in: .min ... .max) }).write(to: URL(filePath: "\(directory)/key"))
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: "\(directory)/key")
        }
    }

    /// The end of the tool.
    private struct Answer {
        let status: Int32
        let standardOutput: String
        let standardError: String
    }

    private func run(on device: String, _ words: [String], input: String = "") throws -> Answer {
        let process = Process()
        // Files: a program that another test starts at the same time would inherit pipes, and keep them open.
        let files = ["in", "out", "err"].map { URL(filePath: "\(device)/standard-\($0)") }
        for (file, text) in zip(files, [input, "", ""]) { try Data(text.utf8).write(to: file) }
        process.executableURL = URL(filePath: try BuiltProducts.executable("sharedauth"))
        process.arguments = ["fleet"] + words
        // libpq's variables and service files have no effect.
        process.environment = [
            "HOME": device, "PATH": "/usr/bin:/bin", "SHAREDAUTH_STORE": "file", "PGHOST": "/nonexistent",
            "SHAREDAUTH_STORE_DIRECTORY": "\(device)/store", "SHAREDAUTH_KEY_FILE": "\(device)/key", "PGPORT": "1",
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

    private var server: [String] {
        ["--host", person.server.directory, "--database", PrivatePostgres.database, "--role", person.role]
    }

    @Test("Two devices are enrolled, listed, checked, and one is removed")
    func story() throws {
        #expect(try run(on: laptop, ["status"]).status == 69)
        let began = try run(on: laptop, ["init", "--name", "laptop"] + server)
        #expect(began.status == 0, "\(began.standardError)")
        #expect(try run(on: laptop, ["init"] + server).status == 77)
        #expect(try run(on: desktop, ["init"] + server).status == 77)
        let code = try run(on: laptop, ["enrol"]).standardOutput
        #expect(code.count == 31)
        let wrong = try run(on: desktop, ["enrol"] + server, input: "AAAAAA-AAAAA-AAAAA-AAAAA-AAAAA\n")
        #expect(wrong.status == 65)
        let joined = try run(on: desktop, ["enrol", "--name", "desktop"] + server, input: code.lowercased())
        #expect(joined.status == 0, "\(joined.standardError)")
        let list = try run(on: desktop, ["devices"]).standardOutput.split(separator: "\n")
        #expect(list.count == 2 && list[0].hasSuffix("  laptop") && list[1].hasSuffix("  desktop (this device)"))

        let heads = try [laptop, desktop].map { device in
            try run(on: device, ["doctor"]).standardOutput.split(separator: "\n").filter { $0.hasPrefix("list") }
        }
        #expect(heads[0] == heads[1] && heads[0].count == 2)
        #expect(try run(on: laptop, ["doctor"]).standardOutput.contains("version 2\n"))

        let id = String(list[1].prefix { $0 != " " })
        #expect(try run(on: laptop, ["revoke", id]).status == 64)
        let removed = try run(on: laptop, ["revoke", "--yes", id])
        #expect(removed.status == 0 && removed.standardOutput.contains("withdraw"))
        let refused = try run(on: desktop, ["doctor", "--json"])
        #expect(refused.status == 77 && refused.standardError.contains(#""name":"removed""#))
        #expect(try run(on: desktop, ["leave"]).status == 0)
        #expect(try run(on: desktop, ["leave"]).status == 69)
        #expect(try run(on: desktop, ["reset", "--yes", "--name", "desktop"] + server).status == 0)
        let reset = try run(on: laptop, ["doctor"])
        #expect(reset.status == 77 && reset.standardError.contains("begun anew"))
    }

    @Test("Usage errors and a missing server have statuses, and name no address")
    func complaints() throws {
        #expect(try run(on: laptop, ["init"]).status == 64)
        #expect(try run(on: laptop, ["init", "--host", "/nonexistent"]).status == 64)
        let away = try run(on: laptop, ["init", "--host", "/nonexistent", "--database", "fleet"])
        #expect(away.status == 69 && !away.standardError.contains("/nonexistent"))
        #expect(try run(on: laptop, ["status"]).status == 69)
        #expect(try run(on: laptop, ["schema"]).standardOutput == Fleet.schema)
        #expect(try run(on: laptop, ["schema", "--upgrade"]).standardOutput == Fleet.schemaUpgrade)
    }
}
