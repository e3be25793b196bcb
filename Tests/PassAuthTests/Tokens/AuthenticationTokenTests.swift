import FoundationEssentials
import PassAuth
import Testing

struct AuthenticationTokenTests {
    /// The documented listing, with the closing tag that it lacks.
    static let listing = """
        <signatureInfo>c2lnbmF0dXJl<signatureInfo>
        <simpleAuthenticationToken>
            <simpleTokenAuthenticationGuid>71C69B91-F327-F185-F29E-2CE20DC560F5</simpleTokenAuthenticationGuid>
            <simpleTokenRequestorID>TEST_REQUESTOR</simpleTokenRequestorID>
            <simpleTokenDomainName>example.com</simpleTokenDomainName>
            <simpleTokenExpires>2011/03/19 02:29:34 GMT +0200</simpleTokenExpires>
            <simpleTokenMsoID>Cable</simpleTokenMsoID>
            <simpleTokenDeviceID>
                <simpleTokenFingerprint>
                    0123abcd
                </simpleTokenFingerprint>
            </simpleTokenDeviceID>
        </simpleAuthenticationToken>
        """

    @Test("F20: an authentication token is read from two roots, its signature's closing tag lost")
    func listing() throws {
        let token = try AuthenticationToken(fragment: Self.listing)
        #expect(token.userID == "71C69B91-F327-F185-F29E-2CE20DC560F5")
        #expect(token.requestor == "TEST_REQUESTOR")
        #expect(token.domain == "example.com")
        #expect(token.mvpd == "Cable")
        #expect(token.expires == Date(timeIntervalSince1970: 1_300_494_574))
        #expect(token.fingerprint == "0123abcd")
        #expect(token.authorizedResources == nil)
        #expect(token.serialized == Self.listing)
    }
}
