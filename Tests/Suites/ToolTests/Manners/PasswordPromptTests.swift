import SharedAuth
import TestSupport
import Testing

/// Tests passwords that are typed on a terminal.
struct PasswordPromptTests {
    private let tool: Shell

    init() throws { tool = try Shell() }

    /// Types a password at its prompt, and expects that it is not shown.
    private func type(_ password: String, at prompt: String, _ terminal: Terminal) throws {
        try terminal.await("sharedauth: \(prompt): ")
        #expect(!terminal.showsTyping)
        try terminal.type("\(password)\r")
    }

    @Test("A password is hidden, typed twice to create an account, and once to sign in")
    func hidden() throws {
        let creation = try tool.terminal("sign-in", "--email", "ada@example.com", "--create")
        try type("a good password", at: "Password", creation)
        try type("a good password", at: "The same again", creation)
        let created = try creation.end()
        #expect(created.status == 0)
        #expect(!created.shown.contains("good"))
        #expect(created.shown.hasPrefix("sharedauth: Password: \nsharedauth: The same again: \napp id        com."))
        let uid = try tool("whoami").standardOutput
        #expect(try tool("sign-out").status == 0)
        let signIn = try tool.terminal("sign-in", "--email", "ada@example.com")
        try type("a good password", at: "Password", signIn)
        #expect(try signIn.end().status == 0)
        #expect(try tool("whoami").standardOutput == uid)
    }

    @Test("Two different passwords create no account")
    func different() throws {
        let terminal = try tool.terminal("sign-in", "--email", "ada@example.com", "--create")
        try type("a good password", at: "Password", terminal)
        try type("a god password", at: "The same again", terminal)
        let (status, shown) = try terminal.end()
        #expect(status == 64)
        #expect(shown.hasSuffix("sharedauth: The two passwords are not the same. Try again; nothing was changed.\n"))
        #expect(try tool.records() == 0)
    }

    @Test(
        "Input is shown again, however the prompt ends",
        arguments: ["\u{3}", "\u{4}", "no\r", "\u{1a}\u{1c}no\r"]
    )
    func shownAgain(_ keys: String) throws {
        // The shell stays on the terminal and does not change its echo setting.
        let script = #"trap : INT; "$@"; stty -a | grep -o -w -e -echo -e echo | sed "s/^/after: /"; read -r _"#
        let program = try BuiltProducts.executable("sharedauth")
        let arguments = ["-c", script, "sh", program, "sign-in", "--email", "ada@example.com"] + tool.identity
        let terminal = try Terminal("/bin/sh", arguments, in: tool.keyring)
        try terminal.await("Password: ")
        #expect(!terminal.showsTyping)
        try terminal.type(keys)
        try terminal.await("after: echo\r\n")
        try terminal.type("\r")
        _ = try terminal.end()
    }

    @Test("The passphrase of a file store is hidden, too")
    func passphrase() throws {
        let place = try FileStoreTests().place
        let terminal = try Terminal(
            BuiltProducts.executable("sharedauth"),
            ["sign-in", "--anonymous", "--passphrase-stdin"] + place + tool.identity,
            in: tool.keyring
        )
        try type("a long passphrase", at: "Passphrase of the store", terminal)
        let (status, shown) = try terminal.end()
        #expect(status == 0)
        #expect(!shown.contains("passphrase"))
    }

    @Test("Without a terminal there is no prompt, and --password-stdin reads the password")
    func withoutTerminal() throws {
        let refused = try tool("sign-in", "--email", "ada@example.com", "--create", input: "a good password\n")
        #expect(refused.status == 64)
        #expect(refused.standardError.contains("Give the password on standard input, with --password-stdin."))
        let created = try tool(
            "sign-in",
            "--email",
            "ada@example.com",
            "--create",
            "--password-stdin",
            input: "a good password\n"
        )
        #expect(created.status == 0)
        #expect(created.standardError.isEmpty)
    }
}
