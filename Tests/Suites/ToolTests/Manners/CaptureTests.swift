import Foundation
import TestSupport
import Testing

/// Tests that the terminal output in the article The Tool is that of the tool.
struct CaptureTests {
    private static let article = Checkout.root
        .appending(path: "Sources/Auth/SharedAuth/SharedAuth.docc/Reference/TheTool.md")

    private let keyring: PrivateKeyring

    init() throws {
        keyring = try PrivateKeyring()
    }

    /// Returns the output lines of the article's block that begins with a command.
    private func capture(of command: String) throws -> [String] {
        let lines = try String(contentsOf: Self.article, encoding: .utf8).components(separatedBy: "\n")
        let start = try #require(lines.firstIndex(of: "    $ sharedauth \(command)"))
        return lines[(start + 1)...].prefix { $0.hasPrefix("    ") }.map { String($0.dropFirst(4)) }
    }

    /// Runs the tool for an app of the default project.
    @discardableResult
    private func tool(_ app: String, _ arguments: String...) throws -> ProcessResult {
        let result = try keyring.run(
            BuiltProducts.executable("sharedauth"),
            arguments + ["--app-id", "com.example.\(app)"],
            input: "y\n"
        )
        #expect(result.status == 0, "\(result.standardError)")
        return result
    }

    /// Returns a text with placeholders for sizes, times and uids, which differ between runs.
    private func masked(_ text: String) -> String {
        text.replacing(/\b[0-9]{4}  (?=[0-9]{4}-)/, with: "SIZE  ")
            .replacing(/[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}Z/, with: "TIME")
            .replacing(/\b[A-Za-z0-9]{28}\b/, with: "UID")
    }

    @Test("The table of list is that of the article")
    func list() throws {
        let office = "group.com.example.office"
        try tool("Notes", "sign-in", "--anonymous")
        try tool("Calendar", "use-group", office)
        try tool("Calendar", "sign-in", "--anonymous")
        let shell = try Shell(in: keyring)
        try shell.replaceRecords(with: "Hello", project: "default")
        try tool("Calendar", "set-aside", "user", "--group", office, "--yes")
        try tool("Mail", "sign-in", "--anonymous")
        let terminal = try Terminal(BuiltProducts.executable("sharedauth"), ["list"], in: keyring)
        let (status, shown) = try terminal.end()
        #expect(status == 0)
        #expect(try masked(capture(of: "list").joined(separator: "\n") + "\n") == masked(shown), "\(shown)")
    }

    @Test("The prompt and the progress bar of migrate are those of the article")
    func bar() throws {
        let apps = ["Calendar", "Mail", "Notes"]
        for app in apps { try tool(app, "sign-in", "--anonymous") }
        let command = "migrate --from-own --to-group group.com.example.office --all-apps --if-occupied add"
        let capture = try capture(of: command)
        let terminal = try Terminal(
            BuiltProducts.executable("sharedauth"),
            command.split(separator: " ").map(String.init),
            in: keyring
        )
        try terminal.await("[y/N] ")
        try terminal.type("y\r")
        // The bar when two of three users are moved.
        let bar = try #require(capture.last)
        try terminal.await("\r\(bar)")
        let (status, shown) = try terminal.end()
        #expect(status == 0)
        let lines = shown.components(separatedBy: "\n")
        // Lines that are longer than the terminal's width are broken there, and in the article.
        let before = capture.dropLast().joined(separator: "\n")
        #expect(masked(before) == masked(lines.prefix(capture.count - 1).joined(separator: "\n")))
        #expect(bar == "[##########################..............] 2 of 3")
    }
}
