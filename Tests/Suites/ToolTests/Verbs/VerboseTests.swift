import SecretService
import SharedAuth
import TestSupport
import Testing

struct VerboseTests {
    /// Returns the lines of standard error, with a placeholder for each time.
    private func calls(_ result: ProcessResult) -> [String] {
        result.standardError.split(separator: "\n").map { String($0).replacing(#/: \d+\.\d ms/#, with: ": TIME") }
    }

    @Test("Each call and its time is a line on standard error, and the output is unchanged")
    func keyringCalls() throws {
        let keyring = try PrivateKeyring()
        defer { keyring.shutdown() }
        let tool = try Shell(in: keyring)
        let result = try tool("stored-user", "--own", "--verbose")
        #expect(result.status == 0)
        #expect(try result.standardOutput == tool("stored-user", "--own").standardOutput)
        let lines = calls(result)
        #expect(lines.first == "sharedauth: connect on the message bus: TIME")
        #expect(lines.contains("sharedauth: SearchItems on /org/freedesktop/secrets: TIME"), "\(lines)")
        #expect(lines.allSatisfy { $0.wholeMatch(of: #/sharedauth: [A-Za-z ]+ on [^:]+: TIME/#) != nil }, "\(lines)")
        #expect(try tool("status").standardError.isEmpty)
    }

    @Test("The line of a failed call has its error, and the error message is last")
    func failure() throws {
        let keyring = try PrivateKeyring(state: .noDaemon)
        defer { keyring.shutdown() }
        let result = try Shell(in: keyring)("status", "--verbose")
        #expect(result.status == 69)
        let lines = calls(result)
        #expect(
            lines.contains("sharedauth: SearchItems on /org/freedesktop/secrets: TIME, failed: noDaemon"),
            "\(lines)"
        )
        #expect(lines.last?.contains("TIME") == false)
    }

    @Test("Steps on encrypted files are also printed")
    func fileSteps() throws {
        let files = try FileStoreTests()
        let result = try files.run("sign-in", "--anonymous", "--verbose")
        #expect(result.status == 0)
        let steps = ["create", "write", "sync", "rename", "syncDirectory"]
        let lines = calls(result)
        #expect(Set(lines) == Set(steps.map { "sharedauth: \($0) on a file: TIME" }), "\(lines)")
    }

    @Test("The verbs for Adobe Pass also have --verbose")
    func passTool() throws {
        let tool = try Shell()
        let program = try BuiltProducts.executable("sharedauth")
        let result = try tool.keyring.run(program, ["pass", "tokens", "--app-id", tool.appID, "--verbose"])
        #expect(result.status == 0)
        #expect(calls(result).first == "sharedauth: connect on the message bus: TIME")
    }

    @Test("The lines contain no secret")
    func redaction() throws {
        let tool = try Shell()
        let create = ["sign-in", "--email", "ada@example.com", "--password-stdin", "--create", "--verbose"]
        let program = try BuiltProducts.executable("sharedauth")
        let created = try tool.keyring.run(program, create + tool.identity, input: "a good password\n")
        #expect(created.status == 0)
        var text = created.standardError
        let former = try tool("token").standardOutput
        for verb in [
            ["token", "--force-refresh"], ["use-group", Shell.group, "--forget"], ["doctor"], ["status"], ["sign-out"],
        ] {
            let result = try tool.keyring.run(program, verb + ["--verbose"] + tool.identity)
            #expect(result.status == 0)
            #expect(result.standardError.contains(" ms"))
            text += result.standardError
        }
        let signature = String(former.split(separator: ".")[2].prefix(20))
        for secret in ["ada@example.com", "a good password", signature] { #expect(!text.contains(secret)) }
        #expect(!text.contains("eyJ"))
    }
}
