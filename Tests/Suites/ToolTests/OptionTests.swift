import SharedAuth
import TestSupport
import Testing

struct OptionTests {
    @Test("Options are accepted before the verb, after it, and on both sides")
    func optionsAround() throws {
        let tool = try Shell()
        let identity = tool.identity
        for arguments in [
            identity + ["--json", "status"], ["status", "--json"] + identity,
            Array(identity[..<2]) + ["status", "--json"] + identity[2...],
        ] {
            let result = try tool.bare(arguments)
            #expect(result.status == 0)
            #expect(try result.json["appID"] == .string(tool.appID))
        }
        #expect(try tool.bare(["--json", "use-group", Shell.group] + identity).status == 0)
    }

    @Test("Declarations before and after the verb are combined")
    func declarationsAddUp() throws {
        let tool = try Shell()
        for group in ["group.com.example.one", "group.com.example.two"] {
            let declared = [
                "--declare", "group.com.example.one", "use-group", group, "--declare", "group.com.example.two",
            ]
            #expect(try tool.bare(declared + tool.identity).status == 0)
        }
        let other = try tool.bare(
            ["--declare", "group.com.example.one", "use-group", "group.com.example.three"] + tool.identity
        )
        #expect(other.status == 77)
        #expect(other.hasOneLineOfComplaint)
        #expect(other.standardError.contains("group.com.example.three"))
    }

    @Test("The environment sets the app ID and its declared groups")
    func fromEnvironment() throws {
        let tool = try Shell()
        let environment = ["SHAREDAUTH_APP_ID=com.example.Other", "SHAREDAUTH_ACCESS_GROUPS=group.com.example.a:T.b"]
        let project = ["--project", tool.project]
        func run(_ arguments: String...) throws -> ProcessResult {
            try tool.bare(arguments + project, environment: environment)
        }
        #expect(try run("status", "--json").json["appID"] == .string("com.example.Other"))
        #expect(try run("use-group", "T.b").status == 0)
        #expect(try run("use-group", "T.c").status == 77)
        #expect(try run("use-group", "T.c", "--declare", "T.c").status == 0)
    }

    @Test("A team's groups start with its ID")
    func teamGroups() throws {
        let tool = try Shell()
        #expect(try tool("use-group", "TEAM.com.example.x", "--team-id", "TEAM").status == 0)
        #expect(try tool("use-group", "OTHER.com.example.x", "--team-id", "TEAM").status == 77)
    }

    @Test(
        "Version and help are printed on standard output with status 0",
        arguments: [["--version"], ["status", "--version"], ["--help"], ["watch", "--help"]]
    )
    func versionAndHelp(_ arguments: [String]) throws {
        let result = try Shell().bare(arguments)
        #expect(result.status == 0)
        #expect(!result.standardOutput.isEmpty)
        #expect(result.standardError.isEmpty)
    }
}
