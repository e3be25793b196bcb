import EncryptedFiles
import FoundationEssentials
import Glibc
import SecretService
import SharedAuth
import TestSupport
import Testing

/// Tests the tool with an encrypted-file store, without a bus.
struct FileStoreTests {
    static let noBus = ["DBUS_SESSION_BUS_ADDRESS=unix:path=/nonexistent"]

    let tool: Shell
    let directory: String
    let keyFile: String

    init() throws {
        tool = try Shell()
        let root = "\(tool.keyring.directory)/files-\(tool.project)"
        (directory, keyFile) = ("\(root)/store", "\(root)/key")
        try FileManager.default.createDirectory(atPath: root, withIntermediateDirectories: true)
        let key = Data((0..<32).map { _ in UInt8.random(in: .min ... .max) })
        _ = FileManager.default.createFile(atPath: keyFile, contents: key, attributes: [.posixPermissions: 0o600])
    }

    var place: [String] { ["--store", "file", "--store-directory", directory] }

    /// Runs the tool without a bus.
    func run(_ arguments: [String], input: String = "", environment: [String] = []) throws -> ProcessResult {
        let program = try BuiltProducts.executable("sharedauth")
        return try tool.keyring.run(
            "/usr/bin/env",
            Self.noBus + environment + [program] + arguments + ["--project", tool.project],
            input: input
        )
    }

    func run(as appID: String = "com.example.Mail", _ arguments: String...) throws -> ProcessResult {
        try run(arguments + place + ["--key-file", keyFile, "--app-id", appID])
    }

    @Test("Two apps share a sign-in without a bus, and a third watches")
    func twoApps() throws {
        for app in ["com.example.Mail", "com.example.Calendar", "com.example.Watcher"] {
            #expect(try run(as: app, "use-group", Shell.group).status == 0)
        }
        let watcher = try RunningProgram(
            "sharedauth",
            ["watch", "--app-id", "com.example.Watcher", "--project", tool.project, "--key-file", keyFile] + place,
            in: tool.keyring
        )
        #expect(try watcher.line().hasPrefix("auth-state  signed-out"))
        let uid = try #require(try run("sign-in", "--anonymous", "--json").uid)
        #expect(try watcher.line().contains(uid))
        #expect(try watcher.line().hasPrefix("id-token"))
        #expect(try run(as: "com.example.Calendar", "status", "--json").uid == uid)
        #expect(try run(as: "com.example.Calendar", "token").status == 0)
        #expect(try run(as: "com.example.Calendar", "sign-out").status == 0)
        #expect(try watcher.line().hasPrefix("auth-state  signed-out"))
        #expect(try run("status", "--json").json["user"] == .null)
    }

    @Test("Status prints the kind of store")
    func storeStatus() throws {
        let status = try run("status")
        #expect(status.status == 0)
        #expect(status.standardOutput.contains("store         encrypted files\nkeyring       none\nlocked        no\n"))
        #expect(try run("status", "--json").json["store"] == .string("encrypted-file"))
    }

    @Test("Doctor checks the files, not a keyring")
    func doctor() throws {
        let good = try run("doctor", "--json")
        #expect(good.status == 0)
        #expect(good.standardOutput.contains("\"probe\""))
        #expect(good.standardOutput.contains("\"signals\""))
        #expect(!good.standardOutput.contains("\"bus\""))
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: keyFile)
        let bad = try run("doctor")
        #expect(bad.status == 77)
        #expect(bad.standardOutput.contains("chmod"))
    }

    @Test("A passphrase is read from standard input, and a wrong one exits with status 77")
    func passphrase() throws {
        // Create a store with a low cost, which its header records.
        let key = RecordKey(scope: .project, project: "p", instance: "default", kind: "k")
        try EncryptedFileRecordStore(
            directory: directory,
            key: .passphrase(Secret("open sesame"), cost: 10),
            steps: .none
        )
        .update(key, by: .after(.seconds(10))) { _ in .write([1]) }
        let stdin = place + ["--passphrase-stdin", "--app-id", "com.example.Mail"]
        let created = try run(
            ["sign-in", "--email", "a@example.com", "--password-stdin", "--create", "--json"] + stdin,
            input: "open sesame\nsecret1\n"
        )
        #expect(created.status == 0, "\(created.standardError)")
        #expect(try run(["status", "--json"] + stdin, input: "open sesame\n").uid == created.uid)
        let wrong = try run(["status"] + stdin, input: "open barley\n")
        #expect(wrong.status == 77)
        #expect(wrong.hasOneLineOfComplaint)
        #expect(!(wrong.standardError + wrong.standardOutput).contains("barley"))
        #expect(try run(["status"] + stdin, input: "\n").status == 64)
    }

    @Test("Environment variables select the store")
    func fromEnvironment() throws {
        let environment = [
            "SHAREDAUTH_STORE=file", "SHAREDAUTH_STORE_DIRECTORY=\(directory)", "SHAREDAUTH_KEY_FILE=\(keyFile)",
            "SHAREDAUTH_APP_ID=com.example.Mail",
        ]
        let uid = try #require(try run(["sign-in", "--anonymous", "--json"], environment: environment).uid)
        #expect(try run("status", "--json").uid == uid)
        // Without a directory, the store is in the user's data directory.
        let home = "\(tool.keyring.directory)/data-\(tool.project)"
        let result = try run(
            ["sign-in", "--anonymous"],
            environment: ["XDG_DATA_HOME=\(home)", environment[0], environment[2], environment[3]]
        )
        #expect(result.status == 0)
        #expect(FileManager.default.fileExists(atPath: "\(home)/sharedauth/store/store.json"))
    }

    @Test(
        "Contradicting options exit with status 64",
        arguments: [
            (["--store", "file"], []), (["--store", "nowhere"], []), (["--key-file", "/x"], []),
            (["--passphrase-stdin"], []), (["--store-directory", "/x"], []),
            (["--store", "file", "--key-file", "/x", "--credential", "y"], []), ([], ["SHAREDAUTH_STORE=nowhere"]),
            (["--store", "secret-service", "--credential", "y"], []),
        ]
    )
    func contradictingOptions(_ arguments: [String], _ environment: [String]) throws {
        let result = try run(["status", "--app-id", "com.example.Mail"] + arguments, environment: environment)
        #expect(result.status == 64)
        #expect(result.standardOutput.isEmpty)
    }

    @Test("Errors of a store say how to fix them")
    func remedies() throws {
        #expect(try run("sign-in", "--anonymous").status == 0)
        unsafe chmod(directory, 0o755)
        let open = try run("status")
        #expect(open.status == 77)
        #expect(open.standardError.contains("Run: chmod 700 \(directory)"))
        unsafe chmod(directory, 0o700)
        unsafe rename(keyFile, keyFile + "-away")
        #expect(try run("status").status == 69)
        #expect(try run("status").standardError.contains("/dev/urandom"))
        unsafe rename(keyFile + "-away", keyFile)
        #expect(try run("status").status == 0)
        for name in try FileManager.default.contentsOfDirectory(atPath: directory) where name.hasSuffix(".record") {
            try Data("garbage".utf8).write(to: URL(filePath: "\(directory)/\(name)"))
            unsafe chmod("\(directory)/\(name)", 0o600)
        }
        let damaged = try run("status", "--json")
        #expect(damaged.status == 65)
        #expect(try damaged.json["state"] == .string("damaged"))
    }

    @Test("Nothing is lost if files cannot grow")
    func fileSizeLimit() throws {
        let uid = try #require(try run("sign-in", "--anonymous", "--json").uid)
        let program = try BuiltProducts.executable("sharedauth")
        let call = [
            program, "sign-in", "--anonymous", "--app-id", "com.example.Calendar", "--project", tool.project,
        ]
        // The limit is one block of 512 bytes: a record is larger, an error message is not.
        let limited = try tool.keyring.run(
            "/bin/sh",
            ["-c", "ulimit -f 1; exec \"$@\"", "sh"] + call + place + ["--key-file", keyFile]
        )
        #expect(limited.status == 70)
        #expect(limited.standardError.contains("Free some space"), "\(limited.standardError)")
        #expect(try run("status", "--json").uid == uid)
        #expect(try run(as: "com.example.Calendar", "status", "--json").json["user"] == .null)
        #expect(try run(as: "com.example.Calendar", "sign-in", "--anonymous").status == 0)
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory).allSatisfy { !$0.hasSuffix(".new") })
    }
}
