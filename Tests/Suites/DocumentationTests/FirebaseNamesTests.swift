import Foundation
import TestSupport
import Testing

/// Checks names of Firebase 12.19 that apps use: each compiles, or the compiler gives the reason why not, and "Coming
/// from Firebase" lists it.
struct FirebaseNamesTests {
    @Test("The supported names compile in a function of the main actor", .timeLimit(.minutes(5)))
    func there() async throws {
        let compiler = try SwiftCompiler()
        let functions = FirebaseName.all.filter { $0.refusal == nil }.enumerated().map { number, name in
            "@MainActor func name\(number)(_ auth: Auth, _ user: User) async throws {\n\(name.code)\n}"
        }
        let path = try compiler.write("\(Self.imports)\n\(functions.joined(separator: "\n"))\n", to: "There.swift")
        let log = try await compiler.check([Self.job("There", path)])["There"]
        #expect(log?.contains("error:") == false, "\(log ?? "")")
    }

    @Test("The compiler rejects the unsupported names, and gives the reason", .timeLimit(.minutes(5)))
    func refused() async throws {
        let compiler = try SwiftCompiler()
        let names = FirebaseName.all.filter { $0.refusal != nil }
        // One line for each name, so that the line number of an error identifies the name.
        let lines = names.enumerated().map { number, name in
            "func name\(number)(_ auth: Auth, _ user: User, _ any: AuthCredential) async throws { \(name.code) }"
        }
        let path = try compiler.write("\(Self.imports)\n\(lines.joined(separator: "\n"))\n", to: "Refused.swift")
        let log = try #require(try await compiler.check([Self.job("Refused", path)])["Refused"])
        let first = Self.imports.split(separator: "\n").count + 1
        for (number, name) in names.enumerated() {
            let said = log.split(separator: "\n").filter { $0.contains("Refused.swift:\(first + number):") }
            let isSaid = said.contains { $0.contains("error:") && $0.contains(name.refusal ?? "") }
            #expect(isSaid, "\(name.names): \(said)")
        }
    }

    @Test("Coming from Firebase lists each name")
    func article() throws {
        let path = "Sources/Auth/SharedAuth/SharedAuth.docc/Guides/ComingFromFirebase.md"
        let root = Checkout.root.path
        let text = try String(contentsOfFile: "\(root)/\(path)", encoding: .utf8)
        let rows = text.split(separator: "\n").filter { $0.hasPrefix("|") }
        for name in FirebaseName.all.flatMap(\.names) + Self.wordsOnly {
            #expect(rows.contains { $0.contains(name) }, "\(name) is in no table")
        }
    }

    /// Names that cannot be declared here, because their module is missing.
    private static let wordsOnly = [
        "Notification.Name.AuthStateDidChange", "NSObjectProtocol", "NSSecureCoding", "FirebaseCombineSwift",
        "`UserInfo` as a protocol", "FirebaseApp", "appleCredential", "openInOTPApp(withQRCodeURL:)",
        "error.localizedDescription",
    ]

    private static let imports = "import Foundation\nimport IdentityToolkit\nimport SharedAuth"

    private static func job(_ name: String, _ path: String) -> SwiftCompiler.Job {
        SwiftCompiler.Job(
            name: name,
            paths: [path],
            options: ["-swift-version", "6", "-parse-as-library", "-module-name", name]
        )
    }
}
