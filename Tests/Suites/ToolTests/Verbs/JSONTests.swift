import SharedAuth
import TestSupport
import Testing

/// Tests the complete output of verbs with --json.
struct JSONTests {
    private let tool: Shell

    init() throws { tool = try Shell() }

    private func user(_ uid: String) -> String {
        #"{"email":null,"isAnonymous":true,"providerID":"SharedAuth","tenantID":null,"uid":"\#(uid)"}"#
    }

    private func report(_ group: String?, _ uid: String?, _ appID: String = "com.example.Mail") -> String {
        let group = group.map { #""\#($0)""# } ?? "null"
        return #"{"accessGroup":\#(group),"appID":"\#(appID)","user":\#(uid.map(user) ?? "null")}"# + "\n"
    }

    @Test("Output of sign-in, status and sign-out")
    func signIn() throws {
        let signIn = try tool("sign-in", "--anonymous", "--json")
        let uid = try #require(try signIn.uid)
        #expect(signIn.standardOutput == report(nil, uid))
        #expect(
            try tool("status", "--json").standardOutput
                == #"{"accessGroup":null,"appID":"com.example.Mail","locked":false,"provider":"gnome-keyring-daemon","#
                + #""state":"signed-in","user":\#(user(uid))}"# + "\n"
        )
        #expect(try tool("sign-out", "--json").standardOutput == report(nil, nil))
    }

    @Test("Output of use-group, stored-user and update-current-user")
    func groups() throws {
        #expect(try tool("use-group", Shell.group, "--json").standardOutput == report(Shell.group, nil))
        let uid = try #require(try tool("sign-in", "--anonymous", "--json").uid)
        #expect(
            try tool("stored-user", "--group", Shell.group, "--json").standardOutput == report(Shell.group, uid)
        )
        let calendar = tool.app("com.example.Calendar")
        let update = try calendar("update-current-user", "--from-group", Shell.group, "--json")
        #expect(update.standardOutput == report(nil, uid, "com.example.Calendar"))
    }

    @Test("Output of set-aside and create-collection")
    func upkeep() throws {
        #expect(
            try tool("set-aside", "identity-keys", "--yes", "--json").standardOutput
                == #"{"isSetAside":false,"record":"identity-keys","wasDamaged":false}"# + "\n"
        )
        let keyring = try PrivateKeyring(withOpen: ["Office"])
        defer { keyring.shutdown() }
        let creation = try Shell(in: keyring)("create-collection", "--collection", "Office", "--json")
        #expect(creation.standardOutput == report(nil, nil))
    }

    @Test("Each finding of doctor has four members")
    func doctor() throws {
        let result = try tool("doctor", "--json")
        guard case .array(let findings) = try result.json else { return #expect(Bool(false), "no list") }
        #expect(findings.count > 5)
        for case .object(let finding) in findings {
            #expect(finding.keys.sorted() == ["check", "message", "remedy", "verdict"])
        }
        #expect(result.standardOutput.split(separator: "\n").count == 1)
    }
}
