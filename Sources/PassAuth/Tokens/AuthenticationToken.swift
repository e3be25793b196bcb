public import FoundationEssentials
internal import XMLCoder

/// Says that a person signed in with a TV provider (MVPD), on one device and for one programmer.
public struct AuthenticationToken: DeviceBoundToken {
    /// The person who signed in: the opaque id that the TV provider's users have at Adobe Pass.
    public let userID: String
    /// The programmer it was issued to.
    public let requestor: String
    /// The programmer's domain that it was granted for; empty when the token names none. Servers compare it, clients
    /// need not.
    public let domain: String
    /// The TV provider (MVPD) that the person signed in with.
    public let mvpd: String
    /// When it expires.
    public let expires: Date
    /// The fingerprint of the device it was issued to, without the white space around it.
    public let fingerprint: String
    /// The resources that the token itself permits, in its order; nil when it has no such list, so that a server has to
    /// be asked.
    ///
    /// The list answers preauthorization for good, without a call: ``preauthorizedResources(among:)``. It lets no one
    /// play anything: that takes an authorization, whatever the list says.
    public let authorizedResources: [String]?
    /// Whether this library made it of a profile of REST v2, which has no such tokens. It has no signature, so it is
    /// refused where a public key is configured.
    public let isFromProfile: Bool
    /// For a token made of a REST v2 profile: the ``RegisteredClient/digest`` of the client that the profile belongs to. The server
    /// accepts the profile only from this client, or with a service token. Nil if the client is not known.
    public let profileClient: String?
    /// The fragment exactly as it was received: what is stored, and what is sent back.
    public let serialized: String

    /// Reads a token as received: a `signatureInfo`, which may lack its closing tag, and a `simpleAuthenticationToken`.
    ///
    /// White space around values is dropped and unknown elements are passed over. A token without a signature is read
    /// too.
    ///
    /// - Throws: `PassTokenError` for what cannot be read as one such token; never for one that is expired or
    ///   another's.
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

    /// Makes a token as a server does: for stand-in servers and tests.
    ///
    /// The expiry is written in whole seconds, rounded down. Without a key the token carries no signature.
    ///
    /// - Throws: `PassTokenError` with code `invalidValue` for a value that a token cannot carry: one that is empty,
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

    /// Makes a token of a profile of REST v2: marked as such, and without a signature.
    ///
    /// - Parameters:
    ///   - userID: The person who signed in.
    ///   - requestor: The programmer that the profile is of.
    ///   - mvpd: The TV provider (MVPD) that the profile is of.
    ///   - expires: When the profile ends, its `notAfter`.
    ///   - fingerprint: The device that it was asked for from.
    ///   - client: The ``RegisteredClient/digest`` of the client that asked for it.
    /// - Throws: `PassTokenError` with code `invalidValue` for a value that a token cannot carry.
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

    /// Which of these resources the token's own list permits, in the caller's order and spelling; nil when the token
    /// has no list, so that a server has to be asked.
    ///
    /// Upper and lower case are the same, as Adobe's text has it. It is for showing what can be watched, and does not
    /// replace the authorization of a resource.
    public func preauthorizedResources(among resources: [String]) -> [String]? {
        guard let authorizedResources else { return nil }
        let permitted = Set(authorizedResources.map { $0.lowercased() })
        return resources.filter { permitted.contains($0.lowercased()) }
    }
}

/// The elements of a `simpleAuthenticationToken`, in the order in which they are written.
///
/// All are lists, so that one too few or too many can be distinguished from one that is damaged.
private struct AuthenticationElements: Codable {
    var simpleTokenAuthenticationGuid: [String]?
    var simpleTokenRequestorID: [String]?
    var simpleTokenDomainName: [String]?
    var simpleTokenExpires: [String]?
    var simpleTokenMsoID: [String]?
    var simpleTokenDeviceID: [DeviceElements]?
    var authorizedResources: [AuthorizedResourcesElement]?
    /// The library's own marks; servers write none.
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
    /// The resources; nil when the token has no list of them at all.
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
