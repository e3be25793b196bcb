import TestSupport
import Testing

struct TokenTests {
    @Test func `it prints the ID token and nothing else`() throws {
        let tool = try Shell()
        let nobody = try tool("token")
        #expect(nobody.status == 67)
        #expect(nobody.standardOutput.isEmpty)
        #expect(nobody.hasOneLineOfComplaint)
        _ = try tool("sign-in", "--anonymous")
        let token = try tool("token")
        #expect(token.status == 0)
        #expect(token.standardOutput.split(separator: ".").count == 3)
        #expect(token.standardOutput.split(separator: "\n").count == 1)
        #expect(try tool("token").standardOutput == token.standardOutput)
        let forced = try tool("token", "--force-refresh")
        #expect(forced.status == 0)
        #expect(forced.standardOutput != token.standardOutput)
        #expect(try tool("token").standardOutput == forced.standardOutput)
    }

    @Test func `no other verb prints a token or a password`() throws {
        let tool = try Shell()
        _ = try tool("use-group", Shell.group)
        let watch = try RunningProgram("sharedauth", ["watch", "--json"] + tool.identity, in: tool.keyring)
        var printed = try [watch.line()]
        let verbs: [[String]] = [
            ["sign-in", "--email", "ada@example.com", "--password-stdin", "--create"], ["status"],
            ["stored-user", "--group", Shell.group], ["update-current-user", "--from-group", Shell.group],
            ["use-group", Shell.group],
        ]
        for verb in verbs {
            for format in [[], ["--json"]] where format.isEmpty || !verb.contains("--create") {
                let result = try tool.keyring.run(
                    BuiltProducts.executable("sharedauth"),
                    verb + format + tool.identity,
                    input: "a good password\n"
                )
                #expect(result.status == 0)
                printed += [result.standardOutput, result.standardError]
            }
        }
        let token = try tool("token").standardOutput.dropLast()
        let refreshToken = try #require(try tool.refreshToken(in: Shell.group))
        printed.append(try tool("sign-out").standardOutput)
        while !printed[printed.count - 1].contains(#""user":null"#) { printed.append(try watch.line()) }
        let text = printed.joined(separator: "\n")
        #expect(text.contains("ada@example.com"))
        for secret in [String(token.split(separator: ".")[2]), refreshToken, "a good password"] {
            #expect(!text.contains(secret))
        }
    }
}
