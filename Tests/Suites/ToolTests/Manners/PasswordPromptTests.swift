import SharedAuth
import TestSupport
import Testing

/// The password that is typed on a terminal.
struct PasswordPromptTests {
    private let tool: Shell

    init() throws { tool = try Shell() }

    /// Types a password where it is asked for, and sees that it is not shown.
    private func type(_ password: String, at prompt: String, _ terminal: Terminal) throws {
        try terminal.await("sharedauth: \(prompt): ")
        #expect(!terminal.showsTyping)
        try terminal.type("\(password)\r")
    }

    @Test("It is hidden, and typed twice to create an account, once to sign in to it")
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

    @Test("Two that differ create nothing")
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
        "However the question ends, what is typed next is shown",
        arguments: ["\u{3}", "\u{4}", "no\r", "\u{1a}\u{1c}no\r"]
    )
    func shownAgain(_ keys: String) throws {
        // A shell stays on the terminal, and does not change how it shows what is typed.
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

    @Test("A passphrase of a file store is hidden, too")
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

    @Test("Without a terminal nothing is asked, and --password-stdin is a script's way")
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
