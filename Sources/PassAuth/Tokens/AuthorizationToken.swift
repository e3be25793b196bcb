public import FoundationEssentials

/// Says that a TV provider (MVPD) lets a person use one resource, on one device and for one programmer.
public struct AuthorizationToken: DeviceBoundToken {
    /// The programmer it was issued to.
    public let requestor: String
    /// The resource it is for: an id, or a media RSS document as text.
    public let resource: String
    /// The TV provider (MVPD) that authorized it.
    public let mvpd: String
    /// When it expires. On the wire it is called a time to live, but is a date.
    public let expires: Date
    /// The fingerprint of the device it was issued to, without the white space around it.
    public let fingerprint: String
    /// The fragment exactly as it was received: what is stored, and what is sent back.
    public let serialized: String

    /// Reads a token as received: a `signatureInfo`, which may lack its closing tag, and a `simpleAuthorizationToken`.
    ///
    /// White space around values is dropped and unknown elements are passed over. A token without a signature is read
    /// too.
    ///
    /// - Throws: `PassTokenError` for what cannot be read as one such token; never for one that is expired or
    ///   another's.
    public init(fragment: String) throws(PassTokenError) {
        let token = try TokenFragment(fragment, root: "simpleAuthorizationToken")
        let elements: AuthorizationElements = try TokenXML.decode(token.body)
        requestor = try elements.simpleTokenRequestorID.only("simpleTokenRequestorID")
        resource = try elements.simpleTokenResourceID.onlyResource("simpleTokenResourceID")
        mvpd = try elements.simpleTokenMsoID.only("simpleTokenMsoID")
        expires = try TokenDate.date(elements.simpleTokenTTL.only("simpleTokenTTL"), in: "simpleTokenTTL")
        fingerprint = try elements.simpleTokenDeviceID.fingerprint()
        serialized = fragment
    }

    /// Makes a token as a server does: for stand-in servers and tests.
    ///
    /// The expiry is written in whole seconds, rounded down. Without a key the token carries no signature.
    ///
    /// - Throws: `PassTokenError` with code `invalidValue` for a value that a token cannot carry: one that is empty,
    ///   begins or ends with white space, or has control characters; a date outside the years 1 to 9999. A resource may have
    ///   white space and line ends anywhere.
    public init(
        requestor: String,
        resource: String,
        mvpd: String,
        expires: Date,
        fingerprint: String,
        signedWith key: TokenSigningKey? = nil
    ) throws(PassTokenError) {
        let elements = AuthorizationElements(
            simpleTokenRequestorID: [try TokenText.checked(requestor, "simpleTokenRequestorID")],
            simpleTokenResourceID: [try TokenText.checkedResource(resource, "simpleTokenResourceID")],
            simpleTokenTTL: [try TokenDate.checkedText(expires, "simpleTokenTTL")],
            simpleTokenMsoID: [try TokenText.checked(mvpd, "simpleTokenMsoID")],
            simpleTokenDeviceID: [try DeviceElements(fingerprint: fingerprint)]
        )
        let body = try TokenXML.encode(elements, root: "simpleAuthorizationToken")
        try self.init(fragment: TokenFragment.signed(body, with: key))
    }
}

/// The elements of a `simpleAuthorizationToken`, in the order in which they are written.
private struct AuthorizationElements: Codable {
    var simpleTokenRequestorID: [String]?
    var simpleTokenResourceID: [String]?
    /// A date, whatever its name says.
    var simpleTokenTTL: [String]?
    var simpleTokenMsoID: [String]?
    var simpleTokenDeviceID: [DeviceElements]?
}
