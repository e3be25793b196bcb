import Foundation
import PassAuth

/// Handwritten fragments, as servers other than ours may send them.
enum Fragments {
    /// An authentication token as in the documented listing: the closing tag of its signature is lost, and the
    /// fingerprint is on a separate line.
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

    /// The elements of an authorization token, without its signature.
    static func authorization(
        requestor: String = "<simpleTokenRequestorID>R</simpleTokenRequestorID>",
        resource: String = "<simpleTokenResourceID>channel</simpleTokenResourceID>",
        ttl: String = "<simpleTokenTTL>2026/11/21 12:00:00 GMT +0000</simpleTokenTTL>",
        mvpd: String = "<simpleTokenMsoID>Cable</simpleTokenMsoID>",
        device: String =
            "<simpleTokenDeviceID><simpleTokenFingerprint>ab12</simpleTokenFingerprint></simpleTokenDeviceID>"
    ) -> String {
        "<simpleAuthorizationToken>\(requestor)\(resource)\(ttl)\(mvpd)\(device)</simpleAuthorizationToken>"
    }

    /// Returns an authorization token whose resource element contains this markup.
    static func authorization(resourceMarkup: String) -> String {
        authorization(resource: "<simpleTokenResourceID>\(resourceMarkup)</simpleTokenResourceID>")
    }

    /// The elements of a media token, without its signature.
    static func media(ttl: String = "300000", issueTime: String = "2026-11-21 12:00:00 +0000", proxy: String = "")
        -> String
    {
        "<shortAuthorizationToken><sessionGUID>g</sessionGUID><requestorID>R</requestorID>"
            + "<resourceID>channel</resourceID><ttl>\(ttl)</ttl><issueTime>\(issueTime)</issueTime>"
            + "<mvpdId>Cable</mvpdId>\(proxy)</shortAuthorizationToken>"
    }
}

/// Two test keys, created once since creating them is slow.
enum Keys {
    static let first = make()
    static let second = make()

    private static func make() -> TokenSigningKey {
        while true {
            if let key = try? TokenSigningKey() { return key }
        }
    }
}

extension AuthenticationToken {
    /// Returns a token for the user "person" of `M1` that is valid for an hour.
    static func sample(for device: DeviceIdentity) throws -> AuthenticationToken {
        try AuthenticationToken(
            userID: "person",
            requestor: "R1",
            domain: "example.com",
            mvpd: "M1",
            expires: Date() + 3600,
            fingerprint: device.fingerprint
        )
    }
}
