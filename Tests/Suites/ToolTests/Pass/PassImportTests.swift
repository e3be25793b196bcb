import PassAuth
import SharedAuth
import TestSupport
import Testing

struct PassImportTests {
    @Test("A token of an earlier layout is imported once and also stays there")
    func earlierLayout() throws {
        let pass = try PassShell()
        _ = try pass("import", "--token-stdin", "--layout", "buckets", input: pass.token())
        #expect(try pass("status", "--requestor", "R1", "--json").json["state"] == .string("signed-out"))
        let first = try pass("import", "--requestor", "R1", "--json")
        #expect(first.status == 0)
        #expect(try first.json["imported"] == .bool(true))
        #expect(try first.json["mvpd"] == .string("M1"))
        #expect(try pass("status", "--requestor", "R1", "--json").json["state"] == .string("signed-in"))
        #expect(try pass("import", "--requestor", "R1", "--json").json["imported"] == .bool(false))
        let earlier = try pass("tokens", "--layout", "buckets")
        #expect(earlier.standardOutput == "R1  M1  authentication  shared  valid until 2100-01-01T00:00:00Z\n")
    }

    @Test("After a logout, nothing is imported")
    func afterLogOut() throws {
        let pass = try PassShell()
        #expect(try pass("import", "--token-stdin", "--layout", "single-slot", input: pass.token()).status == 0)
        #expect(try pass("clear").status == 0)
        #expect(try pass("import", "--requestor", "R1", "--json").json["imported"] == .bool(false))
    }

    @Test("A malformed token exits with 65, an unusable one with 77; nothing is stored")
    func notAToken()
        throws
    {
        let pass = try PassShell()
        let foreign = try DeviceIdentity.custom("another")
        let inputs: [(String, Int32)] = [
            ("", 65), ("not a token", 65), (String(repeating: "<a>", count: 200_000), 65),
            (try pass.token(until: "2001-01-01T00:00:00Z"), 77), (try pass.token(on: foreign), 77),
        ]
        for (input, status) in inputs {
            let result = try pass("import", "--token-stdin", input: input)
            #expect(result.status == status)
            #expect(result.standardOutput.isEmpty)
            #expect(result.hasOneLineOfComplaint)
        }
        #expect(try pass("tokens").standardOutput == "no tokens\n")
    }
}

struct PassClearTests {
    @Test("Clear logs every programmer out and prints the number of cleared tokens")
    func loggedOut() throws {
        let pass = try PassShell()
        _ = try pass("import", "--token-stdin", input: pass.token())
        _ = try pass("import", "--token-stdin", input: pass.token(for: "R2", from: "M2"))
        try pass.authorize("news", "sports", "films")
        #expect(
            try pass("clear").standardOutput == """
                app id                         com.example.tv.One
                access group                   group.com.example.tv
                authentication tokens cleared  2
                authorization tokens cleared   3
                was damaged                    no

                """
        )
        #expect(try pass("tokens").standardOutput == "no tokens\n")
        #expect(try pass("status", "--requestor", "R2", "--json").json["state"] == .string("signed-out"))
        #expect(try pass("clear", "--json").json["authenticationTokens"] == .number(0))
    }

    @Test("A damaged store exits with 65 and is kept until it is cleared", arguments: ["garbage", "SharedAuth1.AAAA"])
    func damagedStore(_ record: String) throws {
        let pass = try PassShell()
        _ = try pass("import", "--token-stdin", input: pass.token())
        try pass.replaceRecords(with: record)
        for _ in 1...2 {
            let status = try pass("status", "--requestor", "R1", "--json")
            #expect(status.status == 65)
            #expect(status.hasOneLineOfComplaint)
            #expect(try status.json["state"] == .string("damaged"))
            #expect(try pass("tokens").status == 65)
        }
        let cleared = try pass("clear", "--json")
        #expect(cleared.status == 0)
        #expect(try cleared.json["wasDamaged"] == .bool(true))
        #expect(try cleared.json["authenticationTokens"] == .null)
        #expect(try pass("status", "--requestor", "R1", "--json").json["state"] == .string("signed-out"))
    }

    @Test("A store of a newer version exits with status 65 and is not cleared")
    func newerStore() throws {
        let pass = try PassShell()
        _ = try pass("import", "--token-stdin", input: pass.token())
        try pass.replaceRecords(with: "SharedAuth2.AAAA")
        #expect(try pass("clear").status == 65)
        #expect(try pass("status", "--requestor", "R1").status == 65)
    }
}
