import SharedAuth
import TestSupport
import Testing

/// Tests `use-group` if it would forget the user in the app's own slot.
struct ForgettingSwitchTests {
    private let tool: Shell
    private let uid: String

    init() throws {
        tool = try Shell()
        uid = try tool.signIn()
    }

    private func own() throws -> String? { try tool("stored-user", "--own", "--json").uid }
    private func group() throws -> JSONValue? { try tool("status", "--json").json["accessGroup"] }

    private var loss: String { "Switching to \(Shell.group) forgets \(uid), the user of the app's own slot." }
    private var migration: String {
        "sharedauth migrate --from-own --to-group \(Shell.group) --app-id \(tool.appID) --project \(tool.project)"
    }

    @Test("Without a terminal, use-group fails, names user and remedy, and changes nothing")
    func refused() throws {
        let refused = try tool("use-group", Shell.group)
        #expect(refused.status == 64)
        #expect(refused.standardOutput.isEmpty)
        #expect(
            refused.standardError
                == "sharedauth: \(loss) Run \(migration) to take the user along, or give --forget.\n"
        )
        #expect(try own() == uid)
        #expect(try group() == .null)
        let json = try tool("use-group", Shell.group, "--json")
        #expect(
            json.standardError == #"{"error":{"code":64,"message":"\#(loss)","name":"wouldForgetUser","#
                + #""remedy":"Run \#(migration) to take the user along, or give --forget."}}"# + "\n"
        )
    }

    @Test("With --forget, use-group switches as Firebase does")
    func forgets() throws {
        #expect(try tool("use-group", Shell.group, "--forget").status == 0)
        #expect(try own() == nil)
        #expect(try group() == .string(Shell.group))
    }

    @Test("On a terminal, use-group prompts, and only a yes forgets the user", arguments: ["y\r", "\r", "no\r"])
    func asks(_ answer: String) throws {
        let terminal = try tool.terminal("use-group", Shell.group)
        try terminal.await("sharedauth: \(loss) Continue? [y/N] ")
        try terminal.type(answer)
        let (status, shown) = try terminal.end()
        if answer == "y\r" {
            #expect(status == 0)
            #expect(try own() == nil)
        } else {
            #expect(status == 77)
            #expect(shown.hasSuffix("sharedauth: Nothing was changed. To take the user along: \(migration)\n"))
            #expect(try own() == uid)
            #expect(try group() == .null)
        }
    }

    @Test("A user who signs in to the app's own slot during the prompt is kept")
    func signsInMeanwhile() throws {
        let terminal = try tool.terminal("use-group", Shell.group)
        try terminal.await("[y/N] ")
        let other = try tool.signIn(as: "ada@example.com")
        try terminal.type("y\r")
        #expect(try terminal.end().status == 0)
        #expect(try own() == other)
        #expect(try group() == .string(Shell.group))
    }

    @Test("A switch that forgets no user shows no prompt")
    func othersAsBefore() throws {
        let calendar = tool.app("com.example.Calendar")
        #expect(try calendar("use-group", Shell.group).status == 0)
        _ = try calendar.signIn()
        #expect(try calendar("use-group", "group.com.example.other").status == 0)
        #expect(try calendar("use-group", "--none").status == 0)
        #expect(try tool("use-group", "--none").status == 0)
        #expect(try own() == uid)
    }
}
