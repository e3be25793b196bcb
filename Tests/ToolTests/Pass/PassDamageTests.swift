import PassAuth
import SharedAuth
import TestSupport
import Testing

struct PassDamageTests {
    @Test func `a damaged token is named, the others are listed, and the exit status tells`() throws {
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
        // Of what could not be read nothing is left either.
        #expect(try pass.records().keys.allSatisfy { !$0.contains("set-aside") })
    }
}
