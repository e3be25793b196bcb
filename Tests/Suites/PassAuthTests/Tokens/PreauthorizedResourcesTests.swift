import Foundation
import PassAuth
import Testing

struct PreauthorizedResourcesTests {
    private func token(_ resources: [String]?) throws -> AuthenticationToken {
        try AuthenticationToken(
            userID: "person",
            requestor: "R",
            domain: "example.com",
            mvpd: "M",
            expires: Date(timeIntervalSince1970: 1_900_000_000),
            fingerprint: "ab12",
            authorizedResources: resources
        )
    }

    @Test("The token's own list answers in the caller's spelling and order")
    func intersection() throws {
        let token = try token(["MSNBC", "CNBC", "FBN", "TRUTV"])
        #expect(
            token.preauthorizedResources(among: ["MSNBC", "FBN", "TruTV", "fbc-fox"]) == ["MSNBC", "FBN", "TruTV"]
        )
        #expect(token.preauthorizedResources(among: []) == [])
        #expect(try self.token([]).preauthorizedResources(among: ["MSNBC"]) == [])
        #expect(try self.token(nil).preauthorizedResources(among: ["MSNBC"]) == nil)
    }

    @Test("The verifier finds a signed token valid or expired at any time, never unknown")
    func unknown() throws {
        let date = Date(timeIntervalSince1970: 1_900_000_000)
        let token = try MediaToken(
            sessionGUID: "s",
            requestor: "R",
            resource: "channel",
            mvpd: "M",
            issued: date,
            lifetime: .seconds(300),
            signedWith: Keys.first
        )
        for offset in [-1e6, -31, 0, 299, 300, 1e6] {
            let verifier = MediaTokenVerifier(publicKey: Keys.first.publicKey, requestor: "R") { date + offset }
            let status = verifier.verify(token.serialized).status
            #expect(status == (0..<300 ~= offset ? .valid : .expired))
        }
    }

    @Test("An exported signing key signs as the original key")
    func key() throws {
        let copy = try TokenSigningKey(pem: Keys.first.pem)
        #expect(copy.publicKey == Keys.first.publicKey)
        let token = try AuthorizationToken(
            requestor: "R",
            resource: "channel",
            mvpd: "M",
            expires: Date(timeIntervalSince1970: 1_900_000_000),
            fingerprint: "ab12",
            signedWith: copy
        )
        #expect(token.isSigned(by: Keys.first.publicKey))
        #expect(!"\(copy) \(Mirror(reflecting: copy).children)".contains("BEGIN"))
    }
}
