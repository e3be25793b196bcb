import FoundationEssentials
import PassAuth
import SharedAuth
import TestSupport
import Testing

struct PassTokensTests {
    @Test("tokens lists every token, and whether it may be used")
    func listsTokens() throws {
        let pass = try PassShell()
        #expect(try pass("tokens").standardOutput == "no tokens\n")
        _ = try pass("import", "--token-stdin", input: pass.token())
        _ = try pass("import", "--token-stdin", "--per-requestor", input: pass.token(for: "R2", from: "M2"))
        let foreign = DeviceIdentity.advertising(UUID())
        let configuration = RequestorConfiguration(id: "R3", integrations: [MVPDIntegration(mvpd: "M1")])
        let token = try AuthenticationToken(fragment: pass.token(for: "R3", on: foreign))
        try pass.store(for: foreign).signIn(token, for: configuration)
        try pass.authorize("news", "sports")
        #expect(
            try pass("tokens").standardOutput == """
                R1  M1  authentication  shared  valid until 2100-01-01T00:00:00Z
                R1  M1  authorizations  2
                R2  M2  authentication  not shared  valid until 2100-01-01T00:00:00Z
                R3  M1  authentication  shared  issued to another device

                """
        )
        #expect(
            try pass("tokens", "--requestor", "R1", "--resources").standardOutput == """
                R1  M1  authentication  shared  valid until 2100-01-01T00:00:00Z
                R1  M1  authorization  news  valid until 2100-01-01T00:00:00Z
                R1  M1  authorization  sports  valid until 2100-01-01T00:00:00Z

                """
        )
        #expect(
            try pass("tokens", "--requestor", "R2", "--mvpd", "M1", "--json").json["tokens"]
                == .array([
                    .object([
                        "kind": .string("authentication"), "requestor": .string("R2"), "mvpd": .string("M2"),
                        "isShared": .bool(false), "expires": .string(PassShell.expires),
                        "verdict": .string("issuer-not-allowed"),
                    ])
                ])
        )
    }

    @Test("Options are accepted before `pass`, between the verbs and after them")
    func optionsAround() throws {
        let tool = try Shell()
        let words = ["--app-id", "com.example.before", "pass", "--group", PassShell.group, "tokens", "--json"]
        let result = try tool.bare(words)
        #expect(result.status == 0, "\(result.standardError)")
        #expect(try result.json["appID"] == .string("com.example.before"))
        #expect(try result.json["accessGroup"] == .string(PassShell.group))
    }

    @Test("No verb prints a token, a user, the machine ID or an unrequested resource")
    func printsNoSecret()
        throws
    {
        let pass = try PassShell()
        let token = try pass.token(of: "guid-of-somebody", signedWith: TokenSigningKey())
        var printed: [String] = []
        func run(_ verb: [String], input: String = "") throws {
            for format in [[], ["--json"]] {
                let result = try pass.run(verb + format, input: input)
                #expect(result.status == 0)
                printed += [result.standardOutput, result.standardError]
            }
        }
        try run(["import", "--token-stdin"], input: token)
        try pass.authorize("channel-7")
        for verb in [["status", "--requestor", "R1"], ["tokens"], ["device-id"], ["import", "--requestor", "R1"]] {
            try run(verb)
        }
        try run(["clear"])
        let text = printed.joined(separator: "\n")
        #expect(text.contains("authorizations  1"))
        let signature = try #require(token.split(whereSeparator: { "<>".contains($0) }).dropFirst().first)
        #expect(signature.count > 300)
        let device = try pass.device
        for secret in [
            "guid-of-somebody", String(signature), PassShell.machineID, device.uuid, "channel-7", "simpleToken",
        ] {
            #expect(!text.lowercased().contains(secret.lowercased()))
        }
    }

    @Test("Terminal control characters are not printed")
    func cleanedText() throws {
        let pass = try PassShell()
        let token = try pass.token(for: "R1")
            .replacing("<simpleTokenMsoID>M1", with: "<simpleTokenMsoID>M\u{9B}31m\u{202E}1")
        let result = try pass("import", "--token-stdin", input: token)
        #expect(result.status == 0)
        #expect(try pass("tokens").standardOutput.hasPrefix("R1  M?31m?1  authentication"))
    }
}

struct PassDamageTests {
    @Test("A damaged token is named, the others are listed, and the exit status is 65")
    func damagedToken() throws {
        let pass = try PassShell()
        _ = try pass("import", "--token-stdin", input: pass.token())
        let others = try pass.records().keys
        _ = try pass("import", "--token-stdin", input: pass.token(for: "R2", from: "M2"))
        try pass.replaceRecords(with: "garbage", except: others)
        let result = try pass("tokens")
        #expect(result.status == 65)
        #expect(
            result.standardOutput == """
                R1  M1  authentication  shared  valid until 2100-01-01T00:00:00Z
                R2  M2  authentication  damaged

                """
        )
        #expect(result.hasOneLineOfComplaint)
        let json = try pass("tokens", "--requestor", "R2", "--json")
        #expect(json.status == 65)
        #expect(
            try json.json["tokens"]
                == .array([
                    .object([
                        "kind": .string("authentication"), "requestor": .string("R2"), "mvpd": .string("M2"),
                        "verdict": .string("damaged"),
                    ])
                ])
        )
        #expect(try pass("tokens", "--requestor", "R1").status == 0)
        let cleared = try pass("clear", "--json")
        #expect(try cleared.json["authenticationTokens"] == .number(1) && cleared.json["wasDamaged"] == .bool(true))
        #expect(try pass("tokens").standardOutput == "no tokens\n")
        // The unreadable token is removed, too.
        #expect(try pass.records().keys.allSatisfy { !$0.contains("set-aside") })
    }
}
