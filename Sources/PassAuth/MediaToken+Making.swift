public import FoundationEssentials

extension MediaToken {
    /// Makes a token as a server does: for stand-in servers and tests.
    ///
    /// The time of issue is written in whole seconds and the lifetime in whole milliseconds, both rounded down. Without a
    /// key the token carries no signature.
    ///
    /// - Throws: `PassTokenError` with code `invalidValue` for a value that a token cannot carry: one that is empty, begins
    ///   or ends with white space, or has control characters; a date outside the years 1 to 9999. `invalidLifetime` for
    ///   one that is negative or longer than a year.
    public init(
        sessionGUID: String,
        requestor: String,
        resource: String,
        mvpd: String,
        proxyMvpd: String? = nil,
        issued: Date,
        lifetime: Duration,
        signedWith key: TokenSigningKey? = nil
    ) throws(PassTokenError) {
        let elements = MediaElements(
            sessionGUID: [try TokenText.checked(sessionGUID, "sessionGUID")],
            requestorID: [try TokenText.checked(requestor, "requestorID")],
            resourceID: [try TokenText.checked(resource, "resourceID")],
            ttl: [try TokenLifetime.text(lifetime)],
            issueTime: [try TokenDate.checkedText(issued, "issueTime")],
            mvpdId: [try TokenText.checked(mvpd, "mvpdId")],
            proxyMvpdId: try proxyMvpd.map { proxy throws(PassTokenError) in
                [try TokenText.checked(proxy, "proxyMvpdId")]
            }
        )
        let body = try TokenXML.encode(elements, root: "shortAuthorizationToken")
        try self.init(base64: TokenText.encoded(TokenFragment.signed(body, with: key)))
    }
}
