import DesktopSupport
import TestSupport
import Testing

@Suite("Escaping for shells and HTML")
struct EscapedTextTests {
    static let texts = [
        "", "plain/path-1.0", "a b", "'", "'\u{301}; echo stolen", "\"\u{301}", "$(id)`id`", "\\", "a\nb", "ä", "-n",
        "\r\n'",
    ]

    @Test("A shell reads quoted text as one word, also if a combining mark follows a quote", arguments: texts)
    func shell(_ text: String) throws {
        let keyring = try PrivateKeyring(state: .noDaemon)
        defer { keyring.shutdown() }
        let result = try keyring.run("/bin/sh", ["-c", "printf '<%s>' \(text.quotedForShell)"])
        #expect(Array(result.standardOutput.utf8) == Array("<\(text)>".utf8))
    }

    @Test("Quotes and brackets with a combining mark are escaped in HTML")
    func html() {
        #expect(
            Array("\"\u{301} <\u{338}>&'".escapedForHTML.utf8) == Array("&quot;\u{301} &lt;\u{338}&gt;&amp;&#39;".utf8)
        )
    }
}
