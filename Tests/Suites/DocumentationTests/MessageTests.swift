import Foundation
import TestSupport
import Testing

/// Checks the messages of errors in the source files.
struct MessageTests {
    private static let sources = Checkout.root.appending(path: "Sources")

    /// The verbs that begin a sentence with advice.
    private static let verbs: Set<String> = [
        "Allow", "Ask", "Change", "Check", "Choose", "Configure", "Correct", "Create", "Declare", "Give", "Have",
        "Install",
        "Leave", "List", "Log", "Look", "Make", "Name", "Open", "Put", "Raise", "Register", "Remove", "Repeat",
        "Restart",
        "Run", "Set", "Sign", "Start", "Try", "Unlock", "Update", "Use", "Wait",
    ]

    @Test("An error with a remedy gives no advice in its message")
    func adviceOnce() throws {
        var count = 0
        for file in try Self.files() {
            let text = try String(contentsOf: file, encoding: .utf8)
            for place in text.ranges(of: "remedy: ") {
                let message = Self.literals(in: Self.beginningOfCall(in: text, before: place.lowerBound))
                guard !message.isEmpty else { continue }
                count += 1
                let advice = Self.sentences(of: message).filter { sentence in
                    Self.verbs.contains(String(sentence.prefix { $0.isLetter }))
                }
                #expect(advice.isEmpty, "\(file.lastPathComponent): \(message)")
            }
        }
        #expect(count > 150)
    }

    @Test("Only errors of waiting name another process or another call")
    func blame() throws {
        for file in try Self.files() {
            let text = try String(contentsOf: file, encoding: .utf8)
            let names = text.contains(/"Another (?:process|call)[^"]* in time/)
            // In AuthEngine.swift, the call waits for another operation of the same `Auth`.
            #expect(!names || file.lastPathComponent == "AuthEngine.swift", "\(file.lastPathComponent)")
        }
    }

    private static func files() throws -> [URL] {
        let found = FileManager.default.enumerator(at: sources, includingPropertiesForKeys: nil)
        return (found?.allObjects as? [URL] ?? []).filter { $0.pathExtension == "swift" }
    }

    /// Returns the text from the opening parenthesis of a call to one of its arguments.
    private static func beginningOfCall(in text: String, before end: String.Index) -> Substring {
        var (place, depth) = (end, 0)
        while place > text.startIndex {
            place = text.index(before: place)
            if text[place] == ")" { depth += 1 }
            if text[place] == "(" {
                if depth == 0 { return text[text.index(after: place)..<end] }
                depth -= 1
            }
        }
        return ""
    }

    /// Returns the string literals in a piece of code, without interpolations.
    private static func literals(in code: Substring) -> String {
        let plain = code.replacing(/\\\([^()]*(?:\([^()]*\)[^()]*)*\)/, with: "…")
        return plain.matches(of: /"((?:[^"\\]|\\.)*)"/).map { String($0.1) }.joined()
    }

    private static func sentences(of text: String) -> [Substring] {
        text.split(separator: #/[.:!?] /#).map { $0.drop { $0 == " " } }
    }
}
