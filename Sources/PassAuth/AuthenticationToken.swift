public import FoundationEssentials

/// Says that a person signed in with a provider (MVPD), on one device and for one programmer.
public struct AuthenticationToken: DeviceBoundToken {
    /// Who signed in: the opaque id that the provider's users have at Adobe Pass.
    public let userID: String
    /// The programmer it was issued to.
    public let requestor: String
    /// The programmer's domain that it was granted for; empty when the token names none. Servers compare it, clients need
    /// not.
    public let domain: String
    /// The provider (MVPD) that the person signed in with.
    public let mvpd: String
    /// When it expires.
    public let expires: Date
    /// The fingerprint of the device it was issued to, without the white space around it.
    public let fingerprint: String
    /// The resources that the token itself permits, in its order; nil when it has no such list, so that a server has to be
    /// asked.
    ///
    /// The list answers preauthorization for good, without a call: ``preauthorizedResources(among:)``. It lets no one play
    /// anything: that takes an authorization, whatever the list says.
    public let authorizedResources: [String]?
    /// The fragment exactly as it was received: what is stored, and what is sent back.
    public let serialized: String

    /// Reads a token as received: a `signatureInfo`, which may lack its closing tag, and a `simpleAuthenticationToken`.
    ///
    /// White space around values is dropped and unknown elements are passed over. A token without a signature is read too.
    ///
    /// - Throws: `PassTokenError` for what cannot be read as one such token; never for one that is expired or another's.
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
        serialized = fragment
    }
}

extension AuthenticationToken {
    /// Which of these resources the token's own list permits, in the caller's order and spelling; nil when the token has no
    /// list, so that a server has to be asked.
    ///
    /// Upper and lower case are the same, as Adobe's text has it. It is for showing what can be watched, and does not replace
    /// the authorization of a resource.
    public func preauthorizedResources(among resources: [String]) -> [String]? {
        guard let authorizedResources else { return nil }
        let permitted = Set(authorizedResources.map { $0.lowercased() })
        return resources.filter { permitted.contains($0.lowercased()) }
    }
}
