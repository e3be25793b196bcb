import SharedAuth
import TestSupport
import Testing

/// Tests `forget`, which empties a slot that need not be in use.
struct ForgetTests {
    private let tool: Shell
    private let uid: String

    /// Signs a user in to a group with one app. The tests run another app, which uses its own slot.
    init() throws {
        let other = try Shell("com.example.Calendar")
        #expect(try other("use-group", Shell.group).status == 0)
        uid = try other.signIn()
        tool = other.app("com.example.Mail")
    }

    private func stored() throws -> String? { try tool("stored-user", "--group", Shell.group, "--json").uid }

    @Test("A group is emptied without a switch")
    func group() throws {
        let alone = try tool.signIn()
        let forgotten = try tool("forget", "--group", Shell.group, "--yes")
        #expect(forgotten.status == 0)
        #expect(
            forgotten.standardOutput == """
                app id        com.example.Mail
                access group  \(Shell.group)
                user          nobody
                forgotten     \(uid)

                """
        )
        #expect(try stored() == nil)
        #expect(try tool("whoami").standardOutput == "\(alone)\n")
        let again = try tool("forget", "--group", Shell.group, "--json")
        #expect(again.status == 0)
        #expect(try again.json["forgotten"] == .array([]))
    }

    @Test("All accounts in the app's own slot are forgotten")
    func own() throws {
        let uids = [try tool.signIn(), try tool.signIn(as: "ada@example.com", "--keep-others")]
        let forgotten = try tool("forget", "--own", "--yes", "--json")
        #expect(try forgotten.json["forgotten"] == .array(uids.map(JSONValue.string)))
        #expect(try tool("accounts").standardOutput == "nobody\n")
        #expect(try stored() == uid)
    }

    @Test("Without a terminal, forget requires --yes")
    func unasked() throws {
        let refused = try tool("forget", "--group", Shell.group)
        #expect(refused.status == 64)
        #expect(refused.standardError.contains("There is no terminal to ask on. Give --yes to forget \(uid)."))
        #expect(try stored() == uid)
    }

    @Test("On a terminal, forget prompts and forgets only the user it has named")
    func asked() throws {
        let question = "sharedauth: Forget \(uid) of access group \(Shell.group), in every app of the group? [y/N] "
        let declining = try tool.terminal("forget", "--group", Shell.group)
        try declining.await(question)
        try declining.type("n\r")
        #expect(try declining.end().status == 77)
        #expect(try stored() == uid)
        let terminal = try tool.terminal("forget", "--group", Shell.group)
        try terminal.await(question)
        let other = try tool.app("com.example.Calendar").signIn(as: "ada@example.com")
        try terminal.type("y\r")
        #expect(try terminal.end().status == 0)
        #expect(try stored() == other)
    }

    @Test("A damaged record is kept until it is set aside, and a copy remains")
    func damaged() throws {
        try tool.replaceRecords(with: "garbage")
        let refused = try tool("forget", "--group", Shell.group, "--yes")
        #expect(refused.status == 65)
        #expect(refused.hasOneLineOfComplaint)
        #expect(refused.standardError.contains("sharedauth set-aside user"))
        #expect(try tool("stored-user", "--group", Shell.group).status == 65)
        let aside = try tool("set-aside", "user", "--group", Shell.group, "--yes")
        #expect(
            aside.standardOutput == """
                record       user
                was damaged  yes
                set aside    yes

                """
        )
        #expect(try stored() == nil)
        let doctor = try tool.app("com.example.Calendar")("doctor", "--json")
        #expect(try Diagnosis(doctor).verdicts["aside"] == "warning")
        let again = try tool("set-aside", "user", "--group", Shell.group, "--yes", "--json")
        #expect(try again.json["isSetAside"] == .bool(false))
    }

    @Test(
        "Naming both slots or none is a usage error",
        arguments: [
            ["forget"], ["forget", "--own", "--group", Shell.group], ["set-aside", "user", "--yes"],
            ["set-aside", "identity-keys", "--own", "--yes"],
        ]
    )
    func wrongCalls(_ arguments: [String]) throws {
        #expect(try tool.bare(arguments + tool.identity).status == 64)
    }
}
