import FoundationEssentials
import LoopbackServer
import SharedAuth
import SharedAuthHTTP
import TestSupport
import Testing

@testable import PassStandInServer

@Suite("The tool's verbs with the stand-in's servers", .timeLimit(.minutes(3)))
struct ToolFlowTests {
    private let server: PassServerFixture
    private let keyring: PrivateKeyring
    private var app: [String]
    private let tool: String

    init() throws {
        server = try PassServerFixture()
        keyring = try PrivateKeyring.shared.get()
        app = ["--app-id", "com.example.tv.One", "--project", "test-\(UUID().uuidString.lowercased())"]
        tool = try BuiltProducts.executable("sharedauth")
    }

    private var environment: [String: String] {
        [
            "SHAREDAUTH_PASS_SERVER": server.server.address, "SHAREDAUTH_PASS_STATEMENT": PassServerFixture.statement,
            "PATH": "/nonexistent",
        ]
    }

    /// Runs a verb to its end.
    private func run(_ arguments: String...) async throws -> ProcessResult {
        let variables = environment.map { "\($0.key)=\($0.value)" }
        return try keyring.run("/usr/bin/env", variables + [tool, "pass"] + arguments + app)
    }

    /// Runs a verb for a programmer.
    private func ask(_ arguments: String...) async throws -> ProcessResult {
        let variables = environment.map { "\($0.key)=\($0.value)" }
        return try keyring.run(
            "/usr/bin/env",
            variables + [tool, "pass"] + arguments + ["--requestor", "ExampleNews"] + app
        )
    }

    @Test("A statement that others can read, or of the wrong size, is refused")
    func openStatement() async throws {
        let path = "\(keyring.directory)/statement-\(UUID())"
        let statement = PassServerFixture.statement
        try Data(statement.utf8).write(to: URL(filePath: path))
        for (mode, text, words) in [
            (0o644, statement, "chmod 600"), (0o600, String(repeating: "x", count: 70_000), "64 KiB"),
        ] {
            try Data(text.utf8).write(to: URL(filePath: path))
            try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
            let refused = try await ask("authorize", "news-live", "--statement-file", path)
            #expect(refused.status == 64 && refused.standardError.contains(words), "\(refused)")
        }
        let device = try await ask("authorize", "news-live", "--statement-file", "/dev/zero")
        #expect(device.status == 64 && device.standardError.contains("not a regular file"), "\(device)")
    }

    /// Starts a verb on a terminal and waits until it shows this text.
    private func start(_ arguments: String..., until text: String) async throws -> Terminal {
        let whole = ["pass"] + arguments + ["--requestor", "ExampleNews"] + app
        let terminal = try Terminal(tool, whole, in: keyring, environment: environment)
        try terminal.await(text)
        return terminal
    }

    /// Returns the page that a verb asks the user to open.
    private func page(_ terminal: Terminal) throws -> String {
        let line = terminal.shown.split(separator: "\n").first { $0.contains("http://") }
        return String(try #require(line?.split(separator: " ").last))
    }

    private func end(_ terminal: Terminal) async throws -> (status: Int32, shown: String) {
        try terminal.end()
    }

    private func signIn(_ mvpd: String) async throws {
        let terminal = try await start("login", "--provider", mvpd, until: "Waiting for the page")
        let address = try await server.fillIn(try page(terminal))
        _ = try await server.send(.get, address)
        let (status, shown) = try await end(terminal)
        #expect(status == 0 && shown.contains("signed-in"), "\(shown)")
    }

    @Test("A user signs in in the browser, and each verb acts on the session")
    func wholeStory() async throws {
        #expect(try await ask("authorize", "news-live").status == 67)
        let terminal = try await start("login", until: "The number of your TV provider")
        #expect(terminal.shown.contains("1  Aurora Cable (Cable)"))
        try terminal.type("1\r")
        try terminal.await("Waiting for the page")
        _ = try await server.send(.get, try await server.fillIn(try page(terminal)))
        let (status, shown) = try await end(terminal)
        #expect(status == 0 && shown.contains("Cable"), "\(shown)")

        let authorized = try await ask("authorize", "news-live", "--json").json
        #expect(authorized["authorized"] == .bool(true) && authorized["mvpd"] == .string("Cable"))
        let token = try await ask("authorize", "news-live", "--media-token").standardOutput
        let order: [String: JSONValue] = [
            "token": .string(token.filter { !$0.isWhitespace }), "requestor": .string("ExampleNews"),
            "resource": .string("news-live"),
        ]
        #expect(try await server.post("/standin/verify", json: .object(order)).json?["accepted"] == .bool(true))
        let permitted = try await ask("preauthorize", "news-live", "b").standardOutput
        #expect(permitted == "permitted  news-live\npermitted  b\n")
        let metadata = try await ask("metadata", "zip", "--json").json
        #expect(metadata["value"] == .array([.string("12345")]) && metadata["encrypted"] == .bool(false))
        #expect(try await ask("login", "--json").json["mvpd"] == .string("Cable"))

        let leaving = try await start("logout", until: "Waiting for the page")
        let back = try await server.send(.get, try page(leaving))
        _ = try await server.send(.get, try #require(back.headers["Location"]))
        #expect(try await end(leaving).shown.contains("signed-out"))
        #expect(try await ask("status", "--json").json["state"] == .string("signed-out"))
    }

    @Test("logout clears the store and reports a server call that failed", arguments: ["gone", "revoked"])
    func logOutAlone(_ server: String) async throws {
        try await signIn("Cable")
        if server == "gone" {
            self.server.server.stop()
        } else {
            try await self.server.turn("forget", #"{"what": "clients"}"#)
            try await self.server.turn("revoke-statement", #"{"statement": "\#(PassServerFixture.statement)"}"#)
        }
        let result = try await ask("logout", "--json")
        #expect(result.status == 0, "\(result.standardError)")
        #expect(result.json["state"] == .string("signed-out") && result.json["serverFailure"]?.string != nil)
        #expect(result.standardError.contains("Logged out here. The servers could not be notified"))
        #expect(try await ask("status", "--json").json["state"] == .string("signed-out"))
    }

    @Test("A promotion that fails leaves the user signed in")
    func failedPromotion() async throws {
        try await signIn("Cable")
        #expect(try await ask("login", "--provider", "PromoPass").status == 69)
        #expect(try await ask("login", "--provider", "Nobody").status == 64)
        #expect(try await ask("status", "--json").json["mvpd"] == .string("Cable"))
        #expect(try await ask("status", "--json").json["state"] == .string("signed-in"))
    }

    @Test("A cancel on the TV provider's page has its own message, and status 77")
    func cancelled() async throws {
        let terminal = try await start("login", "--provider", "Cable", until: "Waiting for the page")
        let login = try #require(try await server.send(.get, try page(terminal)).headers["Location"])
        let parts = login.split(separator: "?code=")
        let back = try await server.post(String(parts[0]), ["code": String(parts[1]), "action": "cancel"])
        let last = try await server.send(.get, try #require(back.headers["Location"]))
        #expect(last.text.contains("<h1>Sign-in cancelled</h1>"), "\(last.text)")
        let (status, shown) = try await end(terminal)
        #expect(status == 77 && shown.contains("The sign-in was cancelled on the TV provider's page."), "\(shown)")
    }

    @Test(
        "The browser's last page tells how a sign-in ended",
        arguments: [("Signed in", 0), ("Sign-in refused", 77), ("Sign-in failed", 69)] as [(String, Int32)]
    )
    func lastPage(_ title: String, _ status: Int32) async throws {
        let terminal = try await start("login", "--provider", "Cable", until: "Waiting for the page")
        let address = try await server.fillIn(try page(terminal))
        switch status {
        case 0: break
        case 77:
            try await server.turn("forget", #"{"what": "clients"}"#)
            try await server.turn("revoke-statement", #"{"statement": "\#(PassServerFixture.statement)"}"#)
        default: try await server.spoil("profile-of-code", "failure")
        }
        let last = try await server.send(.get, address)
        #expect(last.text.contains("<h1>\(title)</h1>"), "\(last.text)")
        #expect(try await end(terminal).status == status)
    }

    @Test("The browser's last page tells that the user is logged out")
    func lastPageOfLogOut() async throws {
        try await signIn("Cable")
        let leaving = try await start("logout", until: "Waiting for the page")
        let back = try await server.send(.get, try page(leaving))
        let last = try await server.send(.get, try #require(back.headers["Location"]))
        #expect(last.text.contains("<h1>Logged out</h1>"), "\(last.text)")
        #expect(try await end(leaving).status == 0)
    }

    @Test("authorize prints ISO 8601 dates; a wrong file or address is named")
    func smallPrint() async throws {
        try await signIn("Cable")
        let until = try await ask("authorize", "news-live", "--json").json["until"]?.string
        #expect(until?.wholeMatch(of: /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ/) != nil, "\(until ?? "none")")
        let file = try await ask("authorize", "news-live", "--service-token-file", "/nonexistent/token")
        #expect(file.standardError.contains("/nonexistent/token"), "\(file.standardError)")
        #expect(try await ask("authorize", "a", "--server", "https://host:99999").status == 64)
    }

    @Test("The user signs in on another screen with a code")
    func code() async throws {
        let terminal = try await start(
            "login",
            "--code",
            "--activation-page",
            "http://tv.example",
            "--provider",
            "LineUp",
            until: "until the code expires"
        )
        let line = try #require(terminal.shown.split(separator: "\n").first { $0.hasPrefix("sharedauth:     ") })
        let code = try #require(line.split(separator: " ").last)
        let chosen = try await server.post("/activate", ["code": String(code)])
        _ = try await server.fillIn(try #require(chosen.headers["Location"]))
        #expect(try await end(terminal).status == 0)
        let refused = try await ask("authorize", "sport-live", "--json")
        #expect(refused.status == 77)
        let error = try #require(JSONValue(bytes: refused.standardError.utf8)?["error"])
        #expect(error["name"]?.string == "Z100" && error["message"]?.string?.contains("line-up") == true)
    }

    @Test("Each failure has a status, a sentence and a name")
    func errors() async throws {
        #expect(try await ask("login", "--provider", "Nobody").status == 64)
        let asked = try await ask("login")
        #expect(asked.status == 64 && asked.standardError.contains("--provider"))
        try await server.turn("revoke-statement", #"{"statement": "\#(PassServerFixture.statement)"}"#)
        let revoked = try await ask("authorize", "a", "--json")
        #expect(revoked.status == 77)
        #expect(JSONValue(bytes: revoked.standardError.utf8)?["error"]?["name"]?.string == "R400")
        server.server.stop()
        #expect(try await ask("authorize", "a").status == 69)
        let insecure = try await ask("login", "--server", "http://pass.example.com")
        #expect(insecure.status == 64 && insecure.standardError.contains("not secure"))
    }

    @Test(
        "The help of each verb has two examples",
        arguments: ["login", "authorize", "preauthorize", "metadata", "logout"]
    )
    func help(_ verb: String) async throws {
        let help = try await run(verb, "--help").standardOutput
        #expect(help.split(separator: "\n").count { $0.contains("sharedauth pass \(verb)") } >= 2, "\(help)")
    }

    @Test("A login killed between redirect and token starts again from its store")
    func killed() async throws {
        try await signIn("Cable")
        try await server.turn("fault", #"{"endpoint": "profile-of-code", "fault": "silence"}"#)
        var terminal: Terminal? = try await start(
            "login",
            "--force",
            "--provider",
            "NoLogOut",
            until: "Waiting for the page"
        )
        let page = try page(try #require(terminal))
        // The browser waits for its last page until the process is killed.
        let address = try await server.fillIn(page)
        let browser = Task { try? await server.send(.get, address) }
        let asked = await server.server.events.first { event in
            if case .request(_, _, let path) = event {
                path.contains("/profiles/code/") && path.hasSuffix(code(page))
            } else {
                false
            }
        }
        #expect(asked != nil)
        // The process is killed.
        terminal = nil
        #expect(await browser.value == nil)
        #expect(try await ask("status", "--json").json["mvpd"] == .string("Cable"))
        // The server knows the sign-in, so there is no page.
        let again = try await ask("login", "--provider", "NoLogOut", "--json")
        #expect(again.json["mvpd"] == .string("NoLogOut"))
        #expect(try await ask("tokens", "--json").standardOutput.contains("Cable"))
    }

    @Test("An app of a group signs in beside another app's session")
    func otherApp() async throws {
        let group = ["--team-id", "TEAM1", "--group", "TEAM1.example.tv"]
        var (one, two) = (self, self)
        one.app += group
        two.app[1] = "com.example.tv.Two"
        two.app += group
        try await one.signIn("Cable")
        #expect(try await two.ask("authorize", "news-live").status == 67)
        try await two.signIn("NoLogOut")
        #expect(try await two.ask("login", "--json").json["mvpd"] == .string("NoLogOut"))
        #expect(try await one.ask("authorize", "news-live", "--json").json["mvpd"] == .string("Cable"))
    }

    private func code(_ page: String) -> String { String(page.split(separator: "/").last ?? "") }
}

extension ProcessResult {
    /// The output as JSON.
    var json: JSONValue { JSONValue(bytes: standardOutput.utf8) ?? .null }
}
