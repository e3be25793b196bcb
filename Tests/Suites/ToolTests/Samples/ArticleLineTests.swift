import Foundation
import TestSupport
import Testing

/// Tests the lines in the articles that a reader pastes into a shell.
struct ArticleLineTests {
    private static let root = Checkout.root

    /// Lines that are not run here, with the reason or the script that runs them.
    private static let elsewhere: [String: String] = [
        "Samples/quickstart": "the part story of Tests/run",
        "Samples/Desktop/run": "the part desktop of Tests/run",
        "Samples/Desktop/run --photos photos": "the same, with a directory",
        "Samples/Languages/run": "the part languages of Tests/run",
        "Tests/run": "it runs this test",
        "Tests/run --all": "it runs this test",
        "Tests/run --filter SessionStateTests": "it builds what this test runs in",
        "swift test -Xcc -O2": "it builds what this test runs in",
        #"Tests/Scripts/run-built --filter '^SharedAuthTests\.'"#: "it runs such tests as this one",
        "swift build -Xcc -O2": "it builds what this test runs in",
        "docc preview Sources/Auth/SharedAuth/SharedAuth.docc \\": "it serves pages until it is interrupted",
        "Tests/Scripts/fuzz --seconds 600 --jobs 2": "the part fuzz of Tests/run, for two seconds",
        "Tests/Scripts/fuzz --seconds 60 redirect json": "the part fuzz of Tests/run, for two seconds",
        "Tests/Benchmarks/run --plot growth.png": "the part benchmarks of Tests/run, for a minute less",
        "sudo apt-get install libsecret-1-dev pkg-config": "Samples/scripts/prerequisites",
        "sudo apt-get install libsecret-1-dev libgtk-4-dev pkg-config": "Samples/scripts/prerequisites",
        "sudo apt-get install ./.build/packaging/debian/sharedauth_*.deb": "Tests/Scripts/packages/run",
        "sudo Sources/packaging/install": "Tests/Scripts/packages/run, with another prefix",
        "cp Sources/packaging/flatpak/sharedauth.json ~/my-app/": "Tests/Scripts/packages/run",
        "cp -r Samples/Start ~/start": "Tests/Scripts/start",
        #"sed -i "s|\.\./\.\.|$PWD|" ~/start/Package.swift"#: "Tests/Scripts/start",
        "cd ~/start": "Tests/Scripts/start",
        "swift build": "Tests/Scripts/start",
        "swift run StartWindow": "Tests/Scripts/start",
        "swift run Start": "Tests/Scripts/start",
        "swift run Start sign-out": "Tests/Scripts/start",
        "snap connect NAME:password-manager-service": "it needs snapd, and the name of the reader's snap",
        "FIREBASE_AUTH_EMULATOR_HOST=127.0.0.1:9099 ./MyApp": "it is the reader's app; Samples/Firebase/run does it",
        "swift run PassStandIn --port 9100": "Samples/TVApp/run",
        "sharedauth fleet init --host db.example.com --database fleet --role alice_laptop": "Samples/Fleet/run",
        "sharedauth fleet enrol": "Samples/Fleet/run",
        "sharedauth fleet enrol --host db.example.com --database fleet --role alice_desktop": "Samples/Fleet/run",
        "sharedauth fleet schema --upgrade | psql --username=owner --set ON_ERROR_STOP=1 fleet": "SchemaVersionTests",
        "sharedauth fleet withdraw alice_laptop | psql --set ON_ERROR_STOP=1 fleet": "WithdrawalTests",
        "sharedauth sign-in --firebase --api-key AIza... --email ada@example.com":
            "it asks Google; FirebaseTests asks the stand-in",
        "sharedauth sign-in --oauth https://feeds.example.com --register Feeds --scope read":
            "it asks a server; OAuthProcessTests asks its own",
        "sharedauth token --access": "it needs such a session; OAuthProcessTests",
    ]

    /// A line without its prompt and comment.
    private struct Line: Hashable {
        let article: String
        let text: String
    }

    private static let commands: Set<String> = [
        "sharedauth", "curl", "swift", "sudo", "snap", "flatpak", "cp", "sed", "cd", "mkdir", "gio",
        "head", "git", "docc", "docker", "systemctl", "kubectl",
    ]

    /// Returns each shell line of the articles and the READMEs.
    private static func lines() throws -> [Line] {
        let found = FileManager.default.enumerator(at: root.appending(path: "Sources"), includingPropertiesForKeys: nil)
        let articles = (found?.allObjects as? [URL] ?? []).filter { $0.pathExtension == "md" }
        return try
            (articles.sorted { $0.path < $1.path }
            + ["README.md", "Samples/Start/README.md"].map { root.appending(path: $0) }).flatMap { article in
                var fence: Substring?
                return try String(contentsOf: article, encoding: .utf8).split(separator: "\n").compactMap {
                    line -> Line? in
                    if line.hasPrefix("```") {
                        fence = fence == nil ? line.dropFirst(3) : nil
                        return nil
                    }
                    guard fence == nil ? line.hasPrefix("    ") : fence != "swift" else { return nil }
                    let text = line.drop { $0 == " " }.trimmingPrefix("$ ")
                    let words = text.split(separator: " ")
                    let first = words.first { $0.wholeMatch(of: /[A-Z_]+=\S*/) == nil } ?? ""
                    let isCommand = commands.contains(String(first)) || text.hasPrefix("(umask")
                    guard isCommand || first.hasPrefix("Samples/") || first.hasPrefix("Tests/") || first.hasPrefix("./")
                    else {
                        return nil
                    }
                    let code = text.split(separator: /\s{2,}#\s/, maxSplits: 1).first.map(String.init) ?? ""
                    return Line(article: article.lastPathComponent, text: code.trimmingCharacters(in: .whitespaces))
                }
            }
    }

    @Test("Each shell line of an article is run or listed as exempt; no exemption is stale")
    func all() throws {
        let lines = try Self.lines()
        #expect(lines.count > 30)
        #expect(Set(Self.elsewhere.keys).subtracting(lines.map(\.text)) == [], "these are in no article")
        let tool = try Shell(in: PrivateKeyring())
        defer { tool.keyring.shutdown() }
        let bin = URL(filePath: try BuiltProducts.executable("sharedauth")).deletingLastPathComponent().path
        let work = "\(tool.keyring.directory)/work"
        try FileManager.default.createDirectory(atPath: work, withIntermediateDirectories: true)
        let standIn = try RunningProgram("FirebaseStandIn", ["--port", "0"], in: tool.keyring)
        let port = try #require(standIn.line().split(separator: ":").last)
        let environment = [
            "PATH=\(bin):/usr/bin:/bin", "SHAREDAUTH_APP_ID=com.example.Mail", "SHAREDAUTH_PROJECT=articles",
        ]
        _ = try tool.bare(["sign-in", "--anonymous", "--app-id", "com.example.Mail", "--project", "articles"])
        var ran = 0
        for line in lines where Self.elsewhere[line.text] == nil {
            ran += 1
            // The port in the article may be in use, and the program is already built.
            var text = line.text.replacing("9099", with: port)
            if text.hasPrefix("swift run FirebaseStandIn") { text = text.replacing("swift run ", with: "") + " --help" }
            // A command that does not end by itself ends with its reader; a prompt is answered.
            if text.contains(" watch ") { text += " | head -n 1" }
            let program =
                ["-i", "HOME=\(tool.keyring.home)", "DBUS_SESSION_BUS_ADDRESS=\(tool.keyring.busAddress)"]
                + environment + ["/bin/bash", "-euc", "cd '\(work)'; \(text)"]
            let result: (status: Int32, shown: String)
            if text.contains("migrate"), !text.contains("--dry-run") {
                let terminal = try Terminal("/usr/bin/env", program, in: tool.keyring)
                try terminal.await("Continue? [y/N]")
                try terminal.type("y\r")
                let end = try terminal.end()
                result = (end.status, end.shown)
            } else {
                let end = try tool.keyring.run("/usr/bin/env", program)
                result = (end.status, end.standardOutput + end.standardError)
            }
            #expect(result.status == 0, "\(line.article): \(line.text): \(result.shown)")
            #expect(!result.shown.contains(#""error""#), "\(line.article): \(line.text): \(result.shown)")
        }
        #expect(ran > 10)
    }
}
