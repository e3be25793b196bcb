public import FoundationEssentials

/// A short media token: lets a person play one resource, once, within minutes of its issue.
///
/// It is bound to no device, is never stored, and proves nothing before the programmer's back end has checked it with
/// ``MediaTokenVerifier``. Printed, it shows the programmer, the provider and the time of issue alone.
public struct MediaToken: Sendable, Hashable, Identifiable {
    /// The SHA-256 digest of what the server signed, in lower-case hexadecimal: the same however the token is written down,
    /// so that a register of used tokens cannot be bypassed by another spelling.
    public let id: String
    /// Who plays it: the same opaque id as ``AuthenticationToken/userID``, hashed.
    public let sessionGUID: String
    /// The programmer it was issued to.
    public let requestor: String
    /// The resource it is for: an id, or a media RSS document as text.
    public let resource: String
    /// The provider (MVPD) that authorized it.
    public let mvpd: String
    /// The provider's proxy, if it has one.
    public let proxyMvpd: String?
    /// When it was issued, by the server's clock.
    public let issued: Date
    /// How long after its issue it is good. On the wire, in milliseconds.
    public let lifetime: Duration
    /// The base64 text exactly as it was received.
    public let serialized: String

    /// Reads a token as received: base64 of a `signatureInfo`, which may lack its closing tag, and a
    /// `shortAuthorizationToken`.
    ///
    /// White space in the base64 and around values is dropped, and unknown elements are passed over. ``MediaTokenVerifier``
    /// is stricter, as it has to be.
    ///
    /// - Throws: `PassTokenError` for what cannot be read as one such token; never for one that is expired.
    public init(base64: String) throws(PassTokenError) {
        let token = try TokenFragment(TokenText.decoded(base64), root: "shortAuthorizationToken")
        let elements: MediaElements = try TokenXML.decode(token.body)
        sessionGUID = try elements.sessionGUID.only("sessionGUID")
        requestor = try elements.requestorID.only("requestorID")
        resource = try elements.resourceID.only("resourceID")
        mvpd = try elements.mvpdId.only("mvpdId")
        proxyMvpd = try elements.proxyMvpdId.atMostOne("proxyMvpdId")
        issued = try TokenDate.date(elements.issueTime.only("issueTime"), in: "issueTime")
        lifetime = try TokenLifetime.duration(elements.ttl.only("ttl"))
        id = Digest.fingerprint(of: token.body.received)
        serialized = base64
    }

    /// Whether the base64 text is the only one that a server writes for this token.
    var isCanonical: Bool {
        guard let fragment = try? TokenText.decoded(serialized) else { return false }
        return TokenText.encoded(fragment).utf8.elementsEqual(serialized.utf8)
    }

    /// When it expires.
    public var expires: Date { issued.addingTimeInterval(lifetime / .seconds(1)) }
}

extension MediaToken: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The programmer, the provider and the time of issue; no user and no signature.
    public var description: String { "MediaToken(\(requestor), \(mvpd), issued \(TokenDate.text(issued)))" }
    /// As ``description``.
    public var debugDescription: String { description }
    /// As ``description``.
    public var customMirror: Mirror {
        Mirror(self, children: ["requestor": requestor, "mvpd": mvpd, "issued": TokenDate.text(issued)])
    }
}
