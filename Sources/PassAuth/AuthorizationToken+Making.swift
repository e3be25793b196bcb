public import FoundationEssentials

extension AuthorizationToken {
    /// Makes a token as a server does: for stand-in servers and tests.
    ///
    /// The expiry is written in whole seconds, rounded down. Without a key the token carries no signature.
    ///
    /// - Throws: `PassTokenError` with code `invalidValue` for a value that a token cannot carry: one that is empty, begins
    ///   or ends with white space, or has control characters; a date outside the years 1 to 9999.
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
            simpleTokenResourceID: [try TokenText.checked(resource, "simpleTokenResourceID")],
            simpleTokenTTL: [try TokenDate.checkedText(expires, "simpleTokenTTL")],
            simpleTokenMsoID: [try TokenText.checked(mvpd, "simpleTokenMsoID")],
            simpleTokenDeviceID: [try DeviceElements(fingerprint: fingerprint)]
        )
        let body = try TokenXML.encode(elements, root: "simpleAuthorizationToken")
        try self.init(fragment: TokenFragment.signed(body, with: key))
    }
}
