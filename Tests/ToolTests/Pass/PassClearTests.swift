import PassAuth
import SharedAuth
import TestSupport
import Testing

struct PassClearTests {
    @Test func `it logs every programmer out, and says what it cleared`() throws {
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

    @Test(arguments: ["garbage", "SharedAuth1.AAAA"])
    func `a damaged store ends with 65 and stays, until it is cleared`(_ record: String) throws {
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

    @Test func `a store of a newer version ends with 65, and is not cleared`() throws {
        let pass = try PassShell()
        _ = try pass("import", "--token-stdin", input: pass.token())
        try pass.replaceRecords(with: "SharedAuth2.AAAA")
        #expect(try pass("clear").status == 65)
        #expect(try pass("status", "--requestor", "R1").status == 65)
    }
}
