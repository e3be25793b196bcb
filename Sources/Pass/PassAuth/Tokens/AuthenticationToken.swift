internal import Formats
public import FoundationEssentials

/// A token that shows that a user signed in with a TV provider (MVPD), on one device and for one programmer.
public struct AuthenticationToken: DeviceBoundToken {
    /// The user who signed in: the opaque id of the TV provider's user at Adobe Pass.
    public let userID: String
    /// The programmer it was issued to.
    public let requestor: String
    /// The programmer's domain that it was granted for; empty if the token names none. Servers compare it; clients do
    /// not have to.
    public let domain: String
    /// The TV provider (MVPD) that the user signed in with.
    public let mvpd: String
    /// The expiry time.
    public let expires: Date
    /// The fingerprint of the device that it was issued to, without surrounding white space.
    public let fingerprint: String
    /// The resources that the token itself permits, in its order; nil if it has no such list, so that the server has to
    /// be called.
    ///
    /// Preauthorization uses the list without a server call, see ``preauthorizedResources(among:)``. It does not permit
    /// playback, which always requires an authorization.
    public let authorizedResources: [String]?
    /// Indicates whether this library created it from a profile of REST v2, which has no such tokens. It has no
    /// signature, so it is refused if a public key is configured.
    public let isFromProfile: Bool
    /// For a token created from a REST v2 profile: the ``RegisteredClient/digest`` of the client that the profile
    /// belongs to. The server accepts the profile only from this client, or with a service token. Nil if the client is
    /// unknown.
    public let profileClient: String?
    /// The fragment exactly as it was received; this text is stored and sent back.
    public let serialized: String

    /// Decodes a token as received: a `signatureInfo`, which may lack its closing tag, and a
    /// `simpleAuthenticationToken`.
    ///
    /// White space around values is removed, and unknown elements are ignored. A token without a signature is decoded
    /// too.
    ///
    /// - Throws: ``PassTokenError`` if the text cannot be decoded as one such token; never for a token that has expired
    ///   or belongs to another device, programmer or TV provider.
    public init(fragment: String) throws(PassTokenError) {
        let body = try TokenFragment(fragment, root: Self.root).body
        userID = try body.only("simpleTokenAuthenticationGuid")
        requestor = try body.only("simpleTokenRequestorID")
        domain = try body.atMostOne("simpleTokenDomainName") ?? ""
        mvpd = try body.only("simpleTokenMsoID")
        expires = try TokenDate.date(body.only("simpleTokenExpires"), in: "simpleTokenExpires")
        fingerprint = try body.fingerprint()
        authorizedResources = try body.authorizedResources()
        isFromProfile = try body.atMostOne("profileOrigin") != nil
        profileClient = try body.atMostOne("profileClient")
        serialized = fragment
    }

    /// Creates a token like a server does, for stand-in servers and tests.
    ///
    /// The expiry is written in whole seconds, rounded down. Without a key the token carries no signature.
    ///
    /// - Throws: ``PassTokenError`` with code `invalidValue` for a value that a token cannot carry: one that is empty,
    ///   begins or ends with white space, or has control characters; a date outside the years 1 to 9999.
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
        let list = try authorizedResources.map(XMLElement.authorizedResources)
        let body = try Self.body(userID, requestor, domain: domain, mvpd, expires, fingerprint, others: [list])
        try self.init(fragment: TokenFragment.signed(body, with: key))
    }

    /// Creates a token from a profile of REST v2: marked as such, and without a signature.
    ///
    /// - Parameters:
    ///   - userID: The user who signed in.
    ///   - requestor: The programmer of the profile.
    ///   - mvpd: The TV provider (MVPD) of the profile.
    ///   - expires: The end of the profile, its `notAfter`.
    ///   - fingerprint: The device that requested it.
    ///   - client: The ``RegisteredClient/digest`` of the client that requested it.
    /// - Throws: ``PassTokenError`` with code `invalidValue` for a value that a token cannot carry.
    public init(
        profileOf userID: String,
        requestor: String,
        mvpd: String,
        expires: Date,
        fingerprint: String,
        client: String? = nil
    ) throws(PassTokenError) {
        let origin = [
            XMLElement("profileOrigin", "REST v2"),
            try client.map { client throws(PassTokenError) in try XMLElement.checked("profileClient", client) },
        ]
        try self.init(
            fragment: Self.body(userID, requestor, domain: "", mvpd, expires, fingerprint, others: origin)
        )
    }

    private static let root = "simpleAuthenticationToken"

    private static func body(
        _ userID: String,
        _ requestor: String,
        domain: String,
        _ mvpd: String,
        _ expires: Date,
        _ fingerprint: String,
        others: [XMLElement?]
    ) throws(PassTokenError) -> String {
        let elements = [
            try .checked("simpleTokenAuthenticationGuid", userID), try .checked("simpleTokenRequestorID", requestor),
            domain.isEmpty ? nil : try .checked("simpleTokenDomainName", domain),
            XMLElement("simpleTokenExpires", try TokenDate.checkedText(expires, "simpleTokenExpires")),
            try .checked("simpleTokenMsoID", mvpd), try .device(fingerprint),
        ]
        return XMLElement(root, elements: (elements + others).compactMap { $0 }).xml
    }

    /// Returns those of the resources that the token's own list permits, in the caller's order and spelling; nil if the
    /// token has no list, so that the server has to be called.
    ///
    /// Case is ignored, as Adobe documents it. Use the result to show what can be watched; it does not replace the
    /// authorization of a resource.
    public func preauthorizedResources(among resources: [String]) -> [String]? {
        guard let authorizedResources else { return nil }
        let permitted = Set(authorizedResources.map { $0.lowercased() })
        return resources.filter { permitted.contains($0.lowercased()) }
    }
}

/// The list of resources in an authentication token. The id of each is an attribute.
extension XMLElement {
    private static let (list, entry, id) = ("authorizedResources", "authorizedResource", "resourceID")

    fileprivate static func authorizedResources(_ ids: [String]) throws(PassTokenError) -> XMLElement {
        var elements: [XMLElement] = []
        for resource in ids {
            guard try !TokenText.checked(resource, entry).utf8.contains(where: { $0 != 0x20 && XMLText.isSpace($0) })
            else {
                // Other servers and clients may read these as spaces.
                throw PassTokenError(.invalidValue, "A token cannot list a resource with a line end or a tab in it.")
            }
            elements.append(XMLElement(entry, attributes: [id: XMLText(resource)]))
        }
        return XMLElement(list, elements: elements)
    }

    /// Returns the resources; nil if the token has no list of them.
    fileprivate func authorizedResources() throws(PassTokenError) -> [String]? {
        guard let list = try one(Self.list) else { return nil }
        var resources: [String] = []
        for element in list.all(Self.entry) {
            guard let resource = element.attributes[Self.id] else {
                throw .malformed("has an \(Self.entry) without a \(Self.id)")
            }
            resources.append(TokenText.trimmed(resource.value))
        }
        return resources
    }
}
