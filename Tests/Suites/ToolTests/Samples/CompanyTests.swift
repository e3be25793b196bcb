import FoundationEssentials
import TestSupport
import Testing

struct CompanyTests {
    private static let root = Checkout.root

    @Test("The sample signs in, refreshes, revokes at sign-out and meets the contract")
    func plays() throws {
        let result = try PrivateKeyring().run(BuiltProducts.executable("Company"), [])
        #expect(result.status == 0)
        #expect(result.standardError.isEmpty)
        let lines = result.standardOutput.split(separator: "\n")
        #expect(
            lines.prefix(4) == [
                "signed in: employee-1, Ada", "access token: another after a refresh", "ID token: none",
                "signed out: 0 sessions at the server",
            ]
        )
        #expect(lines.contains { $0.hasPrefix("skipped, not supported: ") })
        #expect(lines.last == "contract: 11 cases hold")
    }

    @Test("An app's own identity provider takes fewer than 40 lines")
    func length() throws {
        let path = Self.root.appending(path: "Samples/Company/CompanyIdentity.swift")
        let lines = String(decoding: try Data(contentsOf: path), as: UTF8.self).split(separator: "\n")
        let begin = try #require(lines.firstIndex { $0.hasPrefix("struct CompanyIdentity") })
        let end = try #require(lines[begin...].firstIndex { $0 == "}" })
        #expect(end - begin + 1 < 40)
    }
}
