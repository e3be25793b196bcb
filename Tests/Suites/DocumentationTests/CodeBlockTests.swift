import Foundation
import TestSupport
import Testing

/// The Swift code in the articles comes from files that are compiled; the tests among it run.
struct CodeBlockTests {
    private static let root = Checkout.root

    @Test(
        "Articles show exactly the marked regions and whole samples of compiled files"
    )
    func blocks() throws {
        let articles = [Self.root.appending(path: "README.md")] + Self.files(below: "Sources", named: ".md")
        var shown: Set<String> = []
        // `PortedAppTests` compiles the second directory, and the part `desktop` of Tests/run the third.
        let directories = [
            "Tests/Suites/DocumentationTests/Examples", "Tests/Suites/DocumentationTests/Ported",
            "Samples/Desktop/Sources", "Samples/Company",
        ]
        var regions = try Set(
            directories
                .flatMap { Self.files(below: $0, named: ".swift") }
                .flatMap { try Self.regions(of: String(contentsOf: $0, encoding: .utf8)) }
        )
        for sample in Self.wholeSamples {
            let text = try String(contentsOf: Self.root.appending(path: "Samples/\(sample)"), encoding: .utf8)
            regions.insert(text.trimmingCharacters(in: .newlines))
        }
        for article in articles {
            for block in Self.blocks(of: try String(contentsOf: article, encoding: .utf8)) {
                #expect(regions.contains(block), "\(article.lastPathComponent) shows code that is in no compiled file")
                shown.insert(block)
            }
        }
        #expect(shown.count > 20)
        #expect(regions.subtracting(shown).isEmpty, "these regions are in no article")
    }

    /// Files that an article shows completely. Tests/Scripts/start builds those of Start.
    private static let wholeSamples = [
        "Hello/Hello.swift", "Start/Package.swift", "Start/Sources/StartWindow/Signals.swift",
        "Start/Sources/StartWindow/StartWindow.swift",
    ]

    @Test("The module map and the header for GTK in an article are those of the sample")
    func moduleMap() throws {
        let article = "Sources/Auth/SharedAuth/SharedAuth.docc/Guides/MainLoops.md"
        let text = try String(contentsOf: Self.root.appending(path: article), encoding: .utf8)
        for file in ["module.modulemap", "shim.h"] {
            let path = "Samples/Start/Sources/CGTK/\(file)"
            #expect(
                text.contains(
                    "\n```\n" + (try String(contentsOf: Self.root.appending(path: path), encoding: .utf8)) + "```\n"
                )
            )
        }
    }

    @Test("Each link in the README leads to a file")
    func links() throws {
        let text = try String(contentsOf: Self.root.appending(path: "README.md"), encoding: .utf8)
        let links = text.matches(of: #/^\[[^\]]+\]: (\S+)$/#.anchorsMatchLineEndings()).map { String($0.output.1) }
        #expect(links.count > 10)
        for link in links {
            #expect(FileManager.default.fileExists(atPath: Self.root.appending(path: link).path), "\(link)")
        }
    }

    /// Returns the files below a directory of the package whose names have this ending.
    private static func files(below directory: String, named ending: String) -> [URL] {
        let found = FileManager.default.enumerator(at: root.appending(path: directory), includingPropertiesForKeys: nil)
        return (found?.allObjects as? [URL] ?? []).filter { $0.path.hasSuffix(ending) }
    }

    /// Returns the blocks between a line "```swift" and a line "```".
    private static func blocks(of text: String) -> [String] {
        text.components(separatedBy: "\n```swift\n").dropFirst().compactMap { rest in
            rest.components(separatedBy: "\n```\n").first
        }
    }

    /// Returns the regions between the lines "// example" and "// end of example", without their indentation.
    private static func regions(of text: String) -> [String] {
        var regions: [String] = []
        var region: [String]?
        for line in text.components(separatedBy: "\n") {
            switch line.trimmingCharacters(in: .whitespaces) {
            case "// example": region = []
            case "// end of example":
                regions.append(movedLeft(region ?? []))
                region = nil
            default: region?.append(line)
            }
        }
        return regions
    }

    private static func movedLeft(_ lines: [String]) -> String {
        let indents = lines.filter { !$0.isEmpty }.map { $0.prefix { $0 == " " }.count }
        let indent = indents.min() ?? 0
        return lines.map { String($0.dropFirst(indent)) }.joined(separator: "\n")
    }
}
