import TestSupport
import Testing

struct HelpTests {
    private let tool: Shell

    init() throws { tool = try Shell() }

    private func lines(_ arguments: [String]) throws -> [Substring] {
        let help = try tool.bare(arguments)
        #expect(help.status == 0)
        #expect(help.standardError.isEmpty)
        return help.standardOutput.split(separator: "\n")
    }

    @Test(
        "A verb's help has its options, two examples and a reference, in 80 columns",
        arguments: [
            "accounts", "create-collection", "doctor", "forget", "link", "list", "lock", "migrate", "pass",
            "reset-password", "run", "set-aside",
            "sign-in", "sign-out", "status", "stored-user", "switch", "token", "unlock", "update-current-user",
            "use-group", "wait", "watch", "whoami",
        ]
    )
    func ofVerb(_ verb: String) throws {
        for arguments in [["help", verb], [verb, "--help"]] {
            let lines = try lines(arguments)
            #expect(lines.allSatisfy { $0.count <= 80 })
            let examples = lines.drop { $0 != "Examples:" }.dropFirst().prefix { $0.hasPrefix("  ") }
            #expect(examples.count == 2)
            #expect(examples.allSatisfy { $0.contains("sharedauth \(verb)") })
            #expect(lines.contains("Options for all verbs: sharedauth help options"))
            #expect(!lines.contains { $0.contains("--team-id <id>") })
        }
    }

    @Test("The options for all verbs have a separate help page", arguments: [["help", "options"], ["options"]])
    func options(_ arguments: [String]) throws {
        let lines = try lines(arguments)
        #expect(lines.allSatisfy { $0.count <= 80 })
        for option in [
            "--app-id <id>", "--team-id <id>", "--declare <group>", "--project <key>", "--store <store>", "--json",
        ] {
            #expect(lines.contains { $0.hasPrefix("  \(option) ") })
        }
        for variable in ["SHAREDAUTH_TEAM_ID", "SHAREDAUTH_PROJECT"] {
            #expect(lines.contains { $0.contains(variable) })
        }
    }

    @Test("The tool's help lists verbs and the page of shared options, in 80 columns")
    func ofTool() throws {
        let lines = try lines(["--help"])
        #expect(lines.allSatisfy { $0.count <= 80 })
        #expect(lines.contains { $0.contains("sharedauth help options") })
        for verb in ["status", "whoami", "accounts", "switch", "forget", "unlock", "lock", "options"] {
            #expect(lines.contains { $0.hasPrefix("  \(verb) ") })
        }
    }

    @Test("A usage error is explained in a few lines")
    func wrongCall() throws {
        let wrong = try tool.bare(["use-group", "--app-id"])
        #expect(wrong.status == 64)
        #expect(
            wrong.standardError == """
                Error: Missing value for '--app-id'
                Usage: sharedauth [<options>] <verb> [<options>]
                  See 'sharedauth --help' for more information.

                """
        )
    }
}
