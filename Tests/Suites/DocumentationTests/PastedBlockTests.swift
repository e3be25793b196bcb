import Foundation
import TestSupport
import Testing

/// Compiles the articles' code in a `main.swift`, where Swift selects overloads differently than in a function.
struct PastedBlockTests {
    @Test("Article code compiles in a main.swift, and `await` calls an async method", .timeLimit(.minutes(5)))
    func compiled() async throws {
        let compiler = try SwiftCompiler()
        let blocks = try PastedBlock.all()
        #expect(blocks.count > 35)
        var jobs: [SwiftCompiler.Job] = []
        for (number, block) in blocks.enumerated() {
            let path = try compiler.write(block.program, to: "block-\(number)/main.swift")
            let options = ["-swift-version", "6", "-module-name", "Block\(number)"]
            jobs.append(SwiftCompiler.Job(name: "block-\(number)", paths: [path], options: options))
        }
        let logs = try await compiler.check(jobs)
        for (number, block) in blocks.enumerated() {
            let log = try #require(logs["block-\(number)"])
            #expect(!log.contains("error:"), "\(block.file), \(block.name): \(log)")
            // For a method that also has a synchronous form of the same name, Swift selects that form.
            let idle = log.matches(of: /main\.swift:\d+:\d+: warning: no 'async' operations occur/).count
            let twin = /await (auth\.(storedUsers|switchCurrentUser|migrateCurrentUser)|enabler\.\w+)\(/
            let twins = block.text.matches(of: twin).count
            #expect(idle <= twins, "\(block.file), \(block.name): \(log)")
        }
    }

    @Test("The code of Getting Started signs in, in a main.swift and in an @main type", .timeLimit(.minutes(5)))
    func gettingStarted() async throws {
        let compiler = try SwiftCompiler(state: .unlocked)
        let blocks = try PastedBlock.all().filter { $0.file.hasPrefix("GettingStarted") }
        func text(_ name: String) throws -> String { try #require(blocks.first { $0.name == name }).text }
        let account = """
            let guest = Auth.auth(app: try AuthApp(unregistered: .init(appID: "com.example.Setup", identityProvider: .local)))
            try await guest.createUser(withEmail: "ana@example.com", password: password)
            """
        let code = """
            \(try text("configure"))
            \(try text("signIn"))
            \(try text("state"))
            let uid = auth.currentUser?.uid ?? "no user"
            \(try text("accounts"))
            \(try text("signOut"))
            print(auth.currentUser?.uid ?? "signed out")
            """
        let imports = "import LocalIdentity\nimport SharedAuth\n"
        let main = try compiler.write(
            "\(imports)let password = \"a password\"\n\(account)\n\(code)\n",
            to: "Pasted/main.swift"
        )
        let typed = try compiler.write(
            """
            \(imports)
            @main
            struct Program {
                static func main() async throws {
                    let password = "a password"
                    \(code)
                }
            }
            """,
            to: "Typed/Program.swift"
        )
        // Both programs use one keyring, in which only the first creates the account.
        let files = [("Pasted", [main]), ("Typed", [typed, "-parse-as-library"])]
        for (name, paths) in files {
            let result = try await compiler.run(name, paths)
            #expect(result.status == 0, "\(name): \(result.standardError)")
            let lines = result.standardOutput.split(separator: "\n")
            #expect(lines.count == 4 && lines.last == "signed out", "\(name): \(result.standardOutput)")
            #expect(lines.first?.hasPrefix("signed in as ") == true && lines.first == lines.dropFirst().first)
        }
    }

    @Test("In a main.swift, signInAnonymously() without a closure signs in", .timeLimit(.minutes(5)))
    func anonymous() async throws {
        let compiler = try SwiftCompiler(state: .unlocked)
        let program = try compiler.write(
            """
            import LocalIdentity
            import SharedAuth

            let auth = Auth.auth(app: try AuthApp.configure(.init(appID: "com.example.Mail", identityProvider: .local)))
            let result = try await auth.signInAnonymously()
            print("signed in:", auth.currentUser?.uid == result.user.uid)
            try await auth.currentUser?.reload()
            print("a token:", try await auth.currentUser?.getIDToken().isEmpty == false)
            try await auth.currentUser?.delete()
            print(auth.currentUser?.uid ?? "signed out")
            """,
            to: "Anonymous/main.swift"
        )
        let result = try await compiler.run("Anonymous", [program])
        #expect(result.standardOutput == "signed in: true\na token: true\nsigned out\n", "\(result.standardError)")
    }
}

/// A block of an article as a program, with constants for the arguments of the function around it.
private struct PastedBlock {
    let file: String
    let name: String
    let text: String
    let program: String

    /// Declarations that blocks use and that are outside them in the example files.
    private static let surroundings = [
        "OpenIDExamples.swift": "func showRepositories(_ token: String) async throws {}",
        "PassExamples.swift": "struct Service: Sendable { func signedStatement() async throws -> String { \"\" } }",
    ]

    /// Returns the blocks of all example files except those with tests, which are not pasted into programs.
    static func all() throws -> [PastedBlock] {
        let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Examples")
        let files = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
        return try files.filter { !["TestingExamples.swift", "ContributingExamples.swift"].contains($0) }.flatMap {
            blocks(of: try String(contentsOf: folder.appending(path: $0), encoding: .utf8), in: $0)
        }
    }

    private static func blocks(of text: String, in file: String) -> [PastedBlock] {
        let imports = text.split(separator: "\n").filter { $0.hasPrefix("import ") }.joined(separator: "\n")
        let pieces = text.components(separatedBy: "// example\n")
        return zip(pieces, pieces.dropFirst()).map { before, after in
            let block = after.components(separatedBy: "// end of example")[0]
            // A block that begins at the start of a line is not in a function.
            let function = before.last == "\n" ? nil : before.matches(of: /static func (\w+)\(([^\n]*) \{\n/).last
            let arguments = function.map { declarations(of: String($0.output.2)) } ?? ""
            return PastedBlock(
                file: file,
                name: function.map { String($0.output.1) } ?? "type",
                text: block,
                program: """
                    \(imports)
                    func given<Value>() -> Value { fatalError("only compiled") }
                    \(surroundings[file] ?? "")
                    \(arguments)
                    \(block)
                    """
            )
        }
    }

    /// Returns constants for the parameters of a function, from the rest of its line after the parenthesis.
    private static func declarations(of line: String) -> String {
        var (lines, depth, parameter) = ([String](), 1, "")
        for letter in line where depth > 0 {
            if letter == "(" { depth += 1 }
            if letter == ")" { depth -= 1 }
            if depth > 1 || (letter != "," && depth > 0) || (letter == ")" && depth > 0) {
                parameter.append(letter)
                continue
            }
            let parts = parameter.split(separator: ":", maxSplits: 1)
            if parts.count == 2, let name = parts[0].split(separator: " ").last {
                let type = parts[1].replacing("@escaping ", with: "")
                lines.append("let \(name):\(type) = given()")
            }
            parameter = ""
        }
        return lines.joined(separator: "\n")
    }
}
