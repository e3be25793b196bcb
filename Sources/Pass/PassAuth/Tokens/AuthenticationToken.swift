public import FoundationEssentials
internal import XMLCoder

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
        let token = try TokenFragment(fragment, root: "simpleAuthenticationToken")
        let elements: AuthenticationElements = try TokenXML.decode(token.body)
        userID = try elements.simpleTokenAuthenticationGuid.only("simpleTokenAuthenticationGuid")
        requestor = try elements.simpleTokenRequestorID.only("simpleTokenRequestorID")
        domain = try elements.simpleTokenDomainName.atMostOne("simpleTokenDomainName") ?? ""
        mvpd = try elements.simpleTokenMsoID.only("simpleTokenMsoID")
        expires = try TokenDate.date(elements.simpleTokenExpires.only("simpleTokenExpires"), in: "simpleTokenExpires")
        fingerprint = try elements.simpleTokenDeviceID.fingerprint()
        authorizedResources = try elements.authorizedResources.resourceIDs()
        isFromProfile = try elements.profileOrigin.atMostOne("profileOrigin") != nil
        profileClient = try elements.profileClient.atMostOne("profileClient")
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
        let elements = AuthenticationElements(
            simpleTokenAuthenticationGuid: [try TokenText.checked(userID, "simpleTokenAuthenticationGuid")],
            simpleTokenRequestorID: [try TokenText.checked(requestor, "simpleTokenRequestorID")],
            simpleTokenExpires: [try TokenDate.checkedText(expires, "simpleTokenExpires")],
            simpleTokenMsoID: [try TokenText.checked(mvpd, "simpleTokenMsoID")],
            simpleTokenDeviceID: [try DeviceElements(fingerprint: fingerprint)],
            profileOrigin: ["REST v2"],
            profileClient: try client.map { client throws(PassTokenError) in
                [try TokenText.checked(client, "profileClient")]
            }
        )
        try self.init(fragment: try TokenXML.encode(elements, root: "simpleAuthenticationToken"))
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

/// The elements of a `simpleAuthenticationToken`, in the order in which they are written.
///
/// All are lists, so that a missing or repeated element can be distinguished from a damaged one.
private struct AuthenticationElements: Codable {
    var simpleTokenAuthenticationGuid: [String]?
    var simpleTokenRequestorID: [String]?
    var simpleTokenDomainName: [String]?
    var simpleTokenExpires: [String]?
    var simpleTokenMsoID: [String]?
    var simpleTokenDeviceID: [DeviceElements]?
    var authorizedResources: [AuthorizedResourcesElement]?
    /// Added by this library; servers write none.
    var profileOrigin: [String]?
    var profileClient: [String]?
}

/// The `authorizedResources` of an authentication token.
private struct AuthorizedResourcesElement: Codable {
    var authorizedResource: [AuthorizedResourceElement]?

    static func list(_ ids: [String]) throws(PassTokenError) -> [AuthorizedResourcesElement] {
        var resources: [AuthorizedResourceElement] = []
        for id in ids {
            resources.append(AuthorizedResourceElement(resourceID: try TokenText.checked(id, "authorizedResource")))
        }
        return [AuthorizedResourcesElement(authorizedResource: resources)]
    }
}

extension [AuthorizedResourcesElement]? {
    /// Returns the resources; nil if the token has no list of them.
    fileprivate func resourceIDs() throws(PassTokenError) -> [String]? {
        guard let all = self, let list = all.first else { return nil }
        guard all.count == 1 else { throw .repeated("authorizedResources") }
        return (list.authorizedResource ?? []).map { TokenText.trimmed($0.resourceID) }
    }
}

/// One `authorizedResource`: its id is an attribute.
private struct AuthorizedResourceElement: Codable {
    @Attribute var resourceID: String

    init(resourceID: String) {
        _resourceID = Attribute(resourceID)
    }
}
