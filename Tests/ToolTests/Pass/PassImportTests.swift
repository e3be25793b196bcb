import PassAuth
import SharedAuth
import TestSupport
import Testing

struct PassImportTests {
    @Test func `a token of an earlier layout is taken over once, and stays there too`() throws {
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

    @Test func `after a log-out nothing is taken over`() throws {
        let pass = try PassShell()
        #expect(try pass("import", "--token-stdin", "--layout", "single-slot", input: pass.token()).status == 0)
        #expect(try pass("clear").status == 0)
        #expect(try pass("import", "--requestor", "R1", "--json").json["imported"] == .bool(false))
    }

    @Test func `what is no token ends with 65, one that may not be used with 77, and nothing is stored`() throws {
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
