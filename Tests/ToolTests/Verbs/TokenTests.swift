import SecretService
import SharedAuth
import TestSupport
import Testing

struct TokenTests {
    @Test("It prints the ID token and nothing else")
    func idTokenOnly() throws {
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

    @Test("Another issuer's user is refreshed by nobody, which ends with 77 and signs nobody out")
    func otherIssuer()
        throws
    {
        let tool = try Shell()
        let account = Account(
            profile: UserProfile(uid: "x"),
            tokens: .scripted("x", "1"),
            project: tool.project,
            issuer: "https://company.example"
        )
        let payload = try UserRecord().signingIn(account).encoded()
        let service = SecretService(.init(busAddress: .address(tool.keyring.busAddress)))
        let key = RecordKey(
            scope: .group(Shell.group),
            project: tool.project,
            instance: AuthApp.defaultName,
            kind: "user"
        )
        try SecretServiceRecordStore(service).update(key, by: .after(.seconds(10))) { _ in .write(payload) }
        #expect(try tool("use-group", Shell.group).status == 0)
        let forced = try tool("token", "--force-refresh")
        #expect(forced.status == 77)
        #expect(forced.hasOneLineOfComplaint)
        #expect(try tool("token").standardOutput == "x/id/1\n")
        #expect(try tool("status", "--json").uid == "x")
        #expect(try tool("sign-out").status == 0)
        #expect(try tool("stored-user", "--group", Shell.group, "--json").uid == nil)
    }

    @Test("No other verb prints a token or a password")
    func noOtherVerb() throws {
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
