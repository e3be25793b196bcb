import Foundation
import TestSupport
import Testing

/// Tests that input that is not UTF-8 is refused, and not read as other text.
struct InputTests {
    private let tool: Shell

    init() throws { tool = try Shell() }

    /// Runs a shell script with the tool as its first argument.
    private func script(_ script: String) throws -> ProcessResult {
        let program = try BuiltProducts.executable("sharedauth")
        return try tool.keyring.run("/bin/bash", ["-c", script, "bash", program] + tool.identity)
    }

    @Test("An argument that is not UTF-8 is refused")
    func argument() throws {
        let result = try script(#"tool=$1; shift; exec "$tool" stored-user --group $'group.\xff\xfe' "$@""#)
        #expect(result.status == 64)
        #expect(result.standardError.contains("Argument 3 is not UTF-8"), "\(result.standardError)")
        #expect(try script(#"exec "$1" pass --json $'\xc3'"#).status == 64)
    }

    @Test("A variable that is not UTF-8 is refused")
    func variable() throws {
        let result = try script(#"tool=$1; shift; SHAREDAUTH_COLLECTION=$'\xff' exec "$tool" status "$@""#)
        #expect(result.status == 64)
        #expect(result.standardError.contains("SHAREDAUTH_COLLECTION is not UTF-8"), "\(result.standardError)")
    }

    @Test(
        "Credentials that are not UTF-8 are refused",
        arguments: [#"ada@example.com\nsecret-\xff"#, #"ada\xff@example.com\nsecret-1"#]
    )
    func credentials(_ input: String) throws {
        let verb = #"sign-in --email-stdin --password-stdin --create "$@" < <(printf '%b' '\#(input)')"#
        let result = try script(#"tool=$1; shift; "$tool" \#(verb)"#)
        #expect(result.status == 64)
        #expect(result.standardError.contains("standard input is not UTF-8"), "\(result.standardError)")
        #expect(!result.standardError.contains("ada@") && !result.standardError.contains("secret"))
        #expect(try tool.records() == 0)
    }

    @Test("Lines may end with CRLF, and the last line may lack its end")
    func lineEndings() throws {
        let create = ["sign-in", "--email-stdin", "--password-stdin", "--create"]
        let program = try BuiltProducts.executable("sharedauth")
        let created = try tool.keyring.run(
            program,
            create + tool.identity,
            input: "ada@example.com\r\npaß wort\r\n"
        )
        #expect(created.status == 0, "\(created.standardError)")
        let again = try tool.keyring.run(
            program,
            create.dropLast() + tool.identity,
            input: "ada@example.com\npaß wort"
        )
        #expect(again.status == 0, "\(again.standardError)")
    }
}
