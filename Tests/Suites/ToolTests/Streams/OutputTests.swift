import FoundationEssentials
import SecretService
import SharedAuth
import TestSupport
import Testing

/// Tests the output of names that others chose, and output that cannot be written.
struct OutputTests {
    private static let name = "A\u{202E}da\u{1B}[31m\u{2028}\u{9B}x\u{200D}y\u{200C}z\u{E0041}"

    /// Returns a tool whose user has `name` as e-mail address.
    private func toolOfUserWithName() throws -> Shell {
        let tool = try Shell()
        #expect(try tool("sign-in", "--anonymous").status == 0)
        let key = RecordKey(scope: .app(tool.appID), project: tool.project, instance: "default", kind: "user")
        let store = tool.keyring.makeStore()
        try store.update(key, by: .after(.seconds(20))) { stored in
            guard case .whole(let record) = stored,
                var root = try? JSONDecoder().decode(JSONValue.self, from: Data(record.payload)).members,
                case .array(var accounts)? = root["accounts"], var account = accounts.first?.members,
                var profile = account["profile"]?.members
            else { return .keep }
            profile["isAnonymous"] = .bool(false)
            profile["email"] = .string(Self.name)
            account["profile"] = .object(profile)
            accounts[0] = .object(account)
            root["accounts"] = .array(accounts)
            guard let data = try? JSONEncoder().encode(JSONValue.object(root)) else { return .keep }
            return .write(Array(data))
        }
        return tool
    }

    @Test("Control characters are replaced in text and escaped in JSON; joiners are kept")
    func cleanedOutput()
        throws
    {
        let tool = try toolOfUserWithName()
        let text = try tool("accounts", "--emails")
        #expect(text.status == 0)
        #expect(text.standardOutput.contains("A?da?[31m??x\u{200D}y\u{200C}z?"), "\(text.standardOutput)")
        let json = try tool("status", "--json")
        #expect(json.standardOutput.contains(#""A\u202eda\u001b[31m\u2028\u009b"#), "\(json.standardOutput)")
        #expect(json.standardOutput.contains("x\u{200D}y\u{200C}z\\udb40\\udc41"))
        #expect(try json.json["user"]?["email"] == .string(Self.name))
    }

    @Test("An invalid argument is shown without control characters")
    func cleanedArgument() throws {
        let result = try Shell().bare(["status", "--\u{1B}[31m\u{202E}x"])
        #expect(result.status == 64)
        #expect(result.standardError.contains("--?[31m?x"), "\(result.standardError)")
        #expect(!result.standardError.unicodeScalars.contains { $0.value == 0x1B || $0.value == 0x202E })
    }

    @Test("A new e-mail address with control characters is refused")
    func refusedAddress() throws {
        let tool = try Shell()
        let create = ["sign-in", "--email-stdin", "--password-stdin", "--create"]
        let program = try BuiltProducts.executable("sharedauth")
        let input = "ada\u{202E}@example.com\na good password\n"
        let result = try tool.keyring.run(program, create + tool.identity, input: input)
        #expect(result.status == 64)
        #expect(result.hasOneLineOfComplaint)
        #expect(try tool("status", "--json").uid == nil)
    }

    @Test(
        "Output that cannot be written exits with status 74",
        arguments: [
            ["status"], ["status", "--json"], ["--help"], ["--version"], ["doctor"], ["sign-out", "--json"],
        ]
    )
    func fullDisk(_ arguments: [String]) throws {
        let tool = try Shell()
        let program = try BuiltProducts.executable("sharedauth")
        let identity = arguments[0].hasPrefix("-") ? [] : tool.identity
        let result = try tool.keyring.run(
            "/bin/sh",
            ["-c", "exec \"$@\" >/dev/full", "sh", program] + arguments + identity
        )
        #expect(result.status == 74)
        #expect(result.hasOneLineOfComplaint, "\(result.standardError)")
        #expect(result.standardError.contains("standard output"))
    }

    @Test("Output without a reader exits with status 74, without a message")
    func nobodyReads() throws {
        let tool = try Shell()
        let program = try BuiltProducts.executable("sharedauth")
        // The reader is closed before the tool starts.
        let pipe = #"pipe(R, W); open(STDOUT, ">&W"); close(R); close(W); exec @ARGV"#
        let result = try tool.keyring.run("perl", ["-e", pipe, program, "status"] + tool.identity)
        #expect(result.status == 74)
        #expect(result.standardError.isEmpty)
    }

    @Test("A verb for Adobe Pass exits with status 74 if its output cannot be written")
    func passTool() throws {
        let tool = try Shell()
        let program = try BuiltProducts.executable("sharedauth")
        let result = try tool.keyring.run(
            "/bin/sh",
            ["-c", "exec \"$@\" >/dev/full", "sh", program, "pass", "tokens", "--app-id", tool.appID]
        )
        #expect(result.status == 74)
        #expect(result.hasOneLineOfComplaint)
    }
}

extension JSONValue {
    /// The members of an object.
    fileprivate var members: [String: JSONValue]? { if case .object(let members) = self { members } else { nil } }
}
