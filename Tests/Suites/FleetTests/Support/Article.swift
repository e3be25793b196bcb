import Foundation
import TestSupport
import Testing

/// The code in the article about fleets.
enum Article {
    private static let text = Result {
        try String(
            contentsOf: Checkout.root.appending(
                path: "Sources/Fleet/SharedAuthFleet/SharedAuthFleet.docc/SharedAuthFleet.md"
            ),
            encoding: .utf8
        )
    }

    /// Returns the blocks of SQL that contain some text.
    static func blocks(_ words: String) throws -> [String] { try blocks("sql", containing: words) }

    /// Returns the one block of SQL that contains some text, for other roles than those of Alice and her laptop.
    static func statements(_ words: String, for role: String, device: String = "alice_laptop") throws -> String {
        let found = try blocks(words)
        try #require(found.count == 1, "\(words)")
        return found[0].replacing("alice_b", with: "@").replacing("alice_laptop", with: "#")
            .replacing("alice", with: role).replacing("@", with: "alice_b").replacing("#", with: device)
    }

    /// Returns the lines of the one block of commands that contains some text.
    static func commands(_ words: String) throws -> [String] {
        let found = try blocks("sh", containing: words)
        try #require(found.count == 1, "\(words)")
        return found[0].split(separator: "\n").filter { $0.contains { $0 != " " } }.map(String.init)
    }

    private static func blocks(_ language: String, containing words: String) throws -> [String] {
        try text.get().components(separatedBy: "```\(language)\n").dropFirst().compactMap { rest in
            let block = rest.components(separatedBy: "```")[0]
            return block.contains(words) ? block : nil
        }
    }
}
