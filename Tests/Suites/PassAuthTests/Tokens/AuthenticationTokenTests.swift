import FoundationEssentials
import PassAuth
import Testing

struct AuthenticationTokenTests {
    @Test("A token is read although the closing tag of its signature is missing")
    func listing() throws {
        let token = try AuthenticationToken(fragment: Fragments.listing)
        #expect(token.userID == "71C69B91-F327-F185-F29E-2CE20DC560F5")
        #expect(token.requestor == "TEST_REQUESTOR")
        #expect(token.domain == "example.com")
        #expect(token.mvpd == "Cable")
        #expect(token.expires == Date(timeIntervalSince1970: 1_300_494_574))
        #expect(token.fingerprint == "0123abcd")
        #expect(token.authorizedResources == nil)
        #expect(token.serialized == Fragments.listing)
    }

    @Test("A list of resources that the token authorizes is read, even an empty one")
    func authorizedResources() throws {
        let list =
            "<authorizedResources><authorizedResource resourceID=\"A &amp; B\"/> "
            + "<authorizedResource resourceID='c'></authorizedResource></authorizedResources>"
        #expect(try token(with: list).authorizedResources == ["A & B", "c"])
        #expect(try token(with: "<authorizedResources>\n</authorizedResources>").authorizedResources == [])
        #expect(try token(with: "<authorizedResources/>").authorizedResources == [])
    }

    @Test("Unknown elements and attributes are ignored, in any order of elements")
    func unknownElements() throws {
        let plain = try AuthenticationToken(fragment: Fragments.listing)
        let token = try token(with: "<new x='<y'>1<inner>2</inner></new><other/>".replacing("<y", with: "&lt;y"))
        #expect(token.userID == plain.userID && token.fingerprint == plain.fingerprint)
    }

    @Test("A token made by the server is well-formed, signed, and read with the same values")
    func roundTrip() throws {
        let key = Keys.first
        let resources = ["a", "b \"quoted\" & <marked>"]
        let token = try AuthenticationToken(
            userID: "guid",
            requestor: "R",
            domain: "example.com",
            mvpd: "Cable & Sons",
            expires: Date(timeIntervalSince1970: 1_800_000_000.9),
            fingerprint: "ab12",
            authorizedResources: resources,
            signedWith: key
        )
        #expect(token.serialized.hasPrefix("<signatureInfo>"))
        #expect(token.serialized.contains("</signatureInfo><simpleAuthenticationToken>"))
        #expect(token.userID == "guid" && token.requestor == "R" && token.domain == "example.com")
        #expect(token.mvpd == "Cable & Sons" && token.fingerprint == "ab12" && token.authorizedResources == resources)
        #expect(token.expires == Date(timeIntervalSince1970: 1_800_000_000))
        #expect(token.isSigned(by: key.publicKey))
        #expect(!token.isSigned(by: Keys.second.publicKey))
        #expect(try AuthenticationToken(fragment: token.serialized) == token)
    }

    @Test("A printed token shows no user, no device and no signature")
    func printed() throws {
        let token = try AuthenticationToken(fragment: Fragments.listing)
        var dumped = ""
        dump(token, to: &dumped)
        for text in ["\(token)", String(reflecting: token), dumped, "\([token])", "\(token as Any)"] {
            #expect(text.contains("TEST_REQUESTOR"))
            for secret in [token.userID, token.fingerprint, "c2lnbmF0dXJl"] { #expect(!text.contains(secret)) }
        }
    }

    /// Returns the listing with more elements inside.
    private func token(with more: String) throws -> AuthenticationToken {
        let end = "</simpleAuthenticationToken>"
        return try AuthenticationToken(fragment: Fragments.listing.replacing(end, with: more + end))
    }
}
