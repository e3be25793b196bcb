internal import Formats
public import FoundationEssentials

/// A token with which a TV provider (MVPD) lets a user watch one resource, on one device and for one programmer.
public struct AuthorizationToken: DeviceBoundToken {
    /// The programmer it was issued to.
    public let requestor: String
    /// The resource it is for: an id, or a media RSS document as text.
    public let resource: String
    /// The TV provider (MVPD) that authorized it.
    public let mvpd: String
    /// The expiry time. On the wire it is named a time to live, but is a date.
    public let expires: Date
    /// The fingerprint of the device that it was issued to, without surrounding white space.
    public let fingerprint: String
    /// The fragment exactly as it was received; this text is stored and sent back.
    public let serialized: String

    /// Decodes a token as received: a `signatureInfo`, which may lack its closing tag, and a
    /// `simpleAuthorizationToken`.
    ///
    /// White space around values is removed, and unknown elements are ignored. A token without a signature is decoded
    /// too.
    ///
    /// - Throws: ``PassTokenError`` if the text cannot be decoded as one such token; never for a token that has expired
    ///   or belongs to another device, programmer or TV provider.
    public init(fragment: String) throws(PassTokenError) {
        let body = try TokenFragment(fragment, root: "simpleAuthorizationToken").body
        requestor = try body.only("simpleTokenRequestorID")
        resource = try body.onlyResource("simpleTokenResourceID")
        mvpd = try body.only("simpleTokenMsoID")
        expires = try TokenDate.date(body.only("simpleTokenTTL"), in: "simpleTokenTTL")
        fingerprint = try body.fingerprint()
        serialized = fragment
    }

    /// Creates a token like a server does, for stand-in servers and tests.
    ///
    /// The expiry is written in whole seconds, rounded down. Without a key the token carries no signature.
    ///
    /// - Throws: ``PassTokenError`` with code `invalidValue` for a value that a token cannot carry: one that is empty,
    ///   begins or ends with white space, or has control characters; a date outside the years 1 to 9999. A resource may
    ///   have white space and line ends anywhere.
    public init(
        requestor: String,
        resource: String,
        mvpd: String,
        expires: Date,
        fingerprint: String,
        signedWith key: TokenSigningKey? = nil
    ) throws(PassTokenError) {
        let resourceID = "simpleTokenResourceID"
        let body = XMLElement(
            "simpleAuthorizationToken",
            elements: [
                try .checked("simpleTokenRequestorID", requestor),
                XMLElement(resourceID, try TokenText.checkedResource(resource, resourceID)),
                // A date, despite its name.
                XMLElement("simpleTokenTTL", try TokenDate.checkedText(expires, "simpleTokenTTL")),
                try .checked("simpleTokenMsoID", mvpd), try .device(fingerprint),
            ]
        )
        try self.init(fragment: TokenFragment.signed(body.xml, with: key))
    }
}
