public import DesktopSupport
internal import Formats
public import FoundationEssentials

/// A short-lived media token, which lets a user play one resource, once, within minutes of its issue.
///
/// It is not bound to a device, is never stored, and proves nothing until the programmer's back end has checked it with
/// ``MediaTokenVerifier``. Its description shows only the programmer, the TV provider and the issue time.
public struct MediaToken: Sendable, Hashable, Identifiable {
    /// The SHA-256 digest of the signed content, in lower-case hexadecimal. It does not depend on how the token is
    /// encoded, so a register of used tokens cannot be bypassed with another encoding.
    public let id: String
    /// The user who plays the resource: the opaque id that ``AuthenticationToken/userID`` also has.
    public let sessionGUID: String
    /// The programmer it was issued to.
    public let requestor: String
    /// The resource it is for: an id, or a media RSS document as text.
    public let resource: String
    /// The TV provider (MVPD) that authorized it.
    public let mvpd: String
    /// The TV provider's proxy, if it has one.
    public let proxyMvpd: String?
    /// The issue time, by the server's clock.
    public let issued: Date
    /// The time for which it is valid after its issue. On the wire, in milliseconds.
    public let lifetime: Duration
    /// The base64 text exactly as it was received.
    public let serialized: String

    /// Decodes a token as received: base64 of a `signatureInfo`, which may lack its closing tag, and a
    /// `shortAuthorizationToken`.
    ///
    /// White space in the base64 and around values is removed, and unknown elements are ignored. ``MediaTokenVerifier``
    /// is stricter.
    ///
    /// - Throws: ``PassTokenError`` if the text cannot be decoded as one such token; never for an expired token.
    public init(base64: String) throws(PassTokenError) {
        let token = try TokenFragment(TokenText.decoded(base64), root: "shortAuthorizationToken")
        sessionGUID = try token.body.only("sessionGUID")
        requestor = try token.body.only("requestorID")
        resource = try token.body.onlyResource("resourceID")
        mvpd = try token.body.only("mvpdId")
        proxyMvpd = try token.body.atMostOne("proxyMvpdId")
        issued = try TokenDate.date(token.body.only("issueTime"), in: "issueTime")
        lifetime = try TokenLifetime.duration(token.body.only("ttl"))
        id = Digest.fingerprint(of: token.signedBytes)
        serialized = base64
    }

    /// Creates a token like a server does, for stand-in servers and tests.
    ///
    /// The issue time is written in whole seconds and the lifetime in whole milliseconds, both rounded down. Without
    /// a key the token carries no signature.
    ///
    /// - Throws: ``PassTokenError`` with code `invalidValue` for a value that a token cannot carry: one that is empty,
    ///   begins or ends with white space, or has control characters; a date outside the years 1 to 9999. A resource may
    ///   have white space and line ends anywhere. `invalidLifetime` for a lifetime that is negative or longer than a
    ///   year.
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
        var elements: [XMLElement] = [
            try .checked("sessionGUID", sessionGUID), try .checked("requestorID", requestor),
            XMLElement("resourceID", try TokenText.checkedResource(resource, "resourceID")),
            XMLElement("ttl", try TokenLifetime.text(lifetime)),
            XMLElement("issueTime", try TokenDate.checkedText(issued, "issueTime")), try .checked("mvpdId", mvpd),
        ]
        if let proxyMvpd { elements.append(try .checked("proxyMvpdId", proxyMvpd)) }
        let body = XMLElement("shortAuthorizationToken", elements: elements).xml
        try self.init(base64: TokenText.encoded(TokenFragment.signed(body, with: key)))
    }

    /// The expiry time.
    public var expires: Date { issued.addingTimeInterval(lifetime / .seconds(1)) }

    /// True if the base64 text is the only encoding that a server writes for this token.
    var isCanonical: Bool {
        guard let fragment = try? TokenText.decoded(serialized) else { return false }
        return TokenText.encoded(fragment).utf8.elementsEqual(serialized.utf8)
    }

    /// Returns whether this key signed the content of the token.
    func isSigned(by key: TokenPublicKey) -> Bool {
        guard let fragment = try? TokenText.decoded(serialized) else { return false }
        return TokenFragment.isSigned(fragment, by: key)
    }
}

extension MediaToken: Redacted {
    /// The programmer, the TV provider and the issue time; no user and no signature.
    public var description: String { "MediaToken(\(requestor), \(mvpd), issued \(TokenDate.text(issued)))" }
    /// The values shown in ``description``.
    public var customMirror: Mirror {
        Mirror(self, children: ["requestor": requestor, "mvpd": mvpd, "issued": TokenDate.text(issued)])
    }
}

/// A media token's lifetime, in milliseconds on the wire.
private enum TokenLifetime {
    /// The longest lifetime, a year. Media tokens live for minutes; a longer lifetime is a wrong unit or an attempt to
    /// overflow.
    private static let longest: Int64 = 366 * 86_400_000

    static func duration(_ text: String) throws(PassTokenError) -> Duration {
        let digits = text.utf8
        guard digits.allSatisfy({ (0x30...0x39).contains($0) }), let milliseconds = Int64(text), milliseconds <= longest
        else { throw flaw }
        return .milliseconds(milliseconds)
    }

    static func text(_ lifetime: Duration) throws(PassTokenError) -> String {
        guard lifetime >= .zero, lifetime <= .milliseconds(longest) else { throw flaw }
        let (seconds, attoseconds) = lifetime.components
        return String(seconds * 1000 + attoseconds / 1_000_000_000_000_000)
    }

    private static var flaw: PassTokenError {
        PassTokenError(
            .invalidLifetime,
            "The token's ttl is not a number of milliseconds from 0 to 366 days. Check the server's response."
        )
    }
}
