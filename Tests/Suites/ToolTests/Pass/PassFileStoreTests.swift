import EncryptedFiles
import FoundationEssentials
import SecretService
import SharedAuth
import TestSupport
import Testing

/// Tests the tool for tokens with an encrypted-file store, without a bus.
struct PassFileStoreTests {
    private let pass: PassShell
    private let directory: String

    init() throws {
        pass = try PassShell()
        let root = "\(pass.shell.keyring.directory)/pass-files-\(pass.shell.project)"
        directory = "\(root)/store"
        try FileManager.default.createDirectory(atPath: root, withIntermediateDirectories: true)
        // Create a store with a low passphrase cost, which its header records.
        let key = RecordKey(scope: .project, project: "p", instance: "default", kind: "k")
        try EncryptedFileRecordStore(
            directory: directory,
            key: .passphrase(Secret("open sesame"), cost: 10),
            steps: .none
        )
        .update(key, by: .after(.seconds(10))) { _ in .write([1]) }
    }

    private func run(_ arguments: String..., environment: [String], input: String) throws -> ProcessResult {
        let program = try BuiltProducts.executable("sharedauth")
        let noBus = ["DBUS_SESSION_BUS_ADDRESS=unix:path=/nonexistent"]
        let call = noBus + environment + [program, "pass"] + arguments + pass.options + ["--passphrase-stdin"]
        return try pass.shell.keyring.run("/usr/bin/env", call, input: input)
    }

    @Test("Options and environment select the store, and the token follows the passphrase")
    func optionsAndEnvironment()
        throws
    {
        let environment = ["SHAREDAUTH_STORE=file", "SHAREDAUTH_STORE_DIRECTORY=\(directory)"]
        let input = "open sesame\n" + (try pass.token())
        #expect(try run("import", "--token-stdin", environment: environment, input: input).status == 0)
        let status = try run("status", "--requestor", "R1", environment: environment, input: "open sesame\n")
        #expect(status.standardOutput.contains("state         signed-in\n"))
        #expect(status.standardOutput.contains("store         encrypted files\nkeyring       none\nlocked        no\n"))
        let named = try run(
            "tokens",
            "--store",
            "file",
            "--store-directory",
            directory,
            environment: [],
            input: "open sesame\n"
        )
        #expect(named.standardOutput == "R1  M1  authentication  shared  valid until 2100-01-01T00:00:00Z\n")
        #expect(try pass("tokens").standardOutput == "no tokens\n")
    }

    @Test("A wrong passphrase exits with status 77, and contradicting options with 64")
    func wrongPassphrase() throws {
        let environment = ["SHAREDAUTH_STORE=file", "SHAREDAUTH_STORE_DIRECTORY=\(directory)"]
        let wrong = try run("tokens", environment: environment, input: "open barley\n")
        #expect(wrong.status == 77)
        #expect(wrong.hasOneLineOfComplaint)
        #expect(!wrong.standardError.contains("barley"))
        #expect(try run("tokens", environment: [], input: "open sesame\n").status == 64)
    }
}
