/// An element that an XML parser may see.
struct ScannedElement {
    /// Its bytes as received, which the signature is over.
    let received: [UInt8]
    /// The same for the parser, with escaped text for CDATA sections: beside other text, the decoder loses those.
    let plain: [UInt8]

    /// The elements whose text is a value, so that they have no elements inside.
    static let texts: Set<String> = [
        "simpleTokenAuthenticationGuid", "simpleTokenRequestorID", "simpleTokenDomainName", "simpleTokenExpires",
        "simpleTokenMsoID", "simpleTokenFingerprint", "simpleTokenResourceID", "simpleTokenTTL", "authorizedResource",
        "sessionGUID", "requestorID", "resourceID", "ttl", "issueTime", "mvpdId", "proxyMvpdId",
    ]

    static func escaped(_ text: ArraySlice<UInt8>) -> [UInt8] {
        text.flatMap { byte in
            switch byte {
            case UInt8(ascii: "<"): Array("&lt;".utf8)
            case UInt8(ascii: ">"): Array("&gt;".utf8)
            case UInt8(ascii: "&"): Array("&amp;".utf8)
            default: [byte]
            }
        }
    }
}
