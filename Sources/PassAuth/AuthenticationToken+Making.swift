public import FoundationEssentials

extension AuthenticationToken {
    /// Makes a token as a server does: for stand-in servers and tests.
    ///
    /// The expiry is written in whole seconds, rounded down. Without a key the token carries no signature.
    ///
    /// - Throws: `PassTokenError` with code `invalidValue` for a value that a token cannot carry: one that is empty, begins
    ///   or ends with white space, or has control characters; a date outside the years 1 to 9999.
    public init(
        userID: String,
        requestor: String,
        domain: String,
        mvpd: String,
        expires: Date,
        fingerprint: String,
        authorizedResources: [String]? = nil,
        signedWith key: TokenSigningKey? = nil
    ) throws(PassTokenError) {
        let elements = AuthenticationElements(
            simpleTokenAuthenticationGuid: [try TokenText.checked(userID, "simpleTokenAuthenticationGuid")],
            simpleTokenRequestorID: [try TokenText.checked(requestor, "simpleTokenRequestorID")],
            simpleTokenDomainName: domain.isEmpty ? nil : [try TokenText.checked(domain, "simpleTokenDomainName")],
            simpleTokenExpires: [try TokenDate.checkedText(expires, "simpleTokenExpires")],
            simpleTokenMsoID: [try TokenText.checked(mvpd, "simpleTokenMsoID")],
            simpleTokenDeviceID: [try DeviceElements(fingerprint: fingerprint)],
            authorizedResources: try authorizedResources.map(AuthorizedResourcesElement.list)
        )
        let body = try TokenXML.encode(elements, root: "simpleAuthenticationToken")
        try self.init(fragment: TokenFragment.signed(body, with: key))
        // These are attributes, in which XML turns line ends and tabs into spaces.
        guard self.authorizedResources == authorizedResources else {
            throw PassTokenError(.invalidValue, "A token cannot list a resource with a line end or a tab in it.")
        }
    }
}
