public import DesktopSupport
public import FoundationEssentials

/// A token that is valid on one device, for one programmer and one TV provider, until a date.
///
/// Its description shows only the programmer, the TV provider and the expiry.
public protocol DeviceBoundToken: Sendable, Hashable, Redacted {
    /// The programmer it was issued to.
    var requestor: String { get }
    /// The TV provider (MVPD) that issued it.
    var mvpd: String { get }
    /// The expiry time.
    var expires: Date { get }
    /// The fingerprint of the device that it was issued to, without surrounding white space.
    var fingerprint: String { get }
    /// The fragment exactly as it was received; this text is stored and sent back.
    var serialized: String { get }

    /// Decodes a token as received.
    ///
    /// - Throws: ``PassTokenError`` if the text cannot be decoded as one token of this kind; never for a token that has
    ///   expired or belongs to another device, programmer or TV provider: use
    ///   ``verdict(at:fingerprint:allowedIssuers:requestor:publicKey:)`` to check that.
    init(fragment: String) throws(PassTokenError)
}

extension DeviceBoundToken {
    /// Returns whether the token may be used on this device at this date.
    ///
    /// If several checks fail, the first is reported, in this order: signature, programmer, TV provider, device,
    /// expiry.
    ///
    /// - Parameters:
    ///   - date: The current date. A token expires exactly at its expiry.
    ///   - fingerprint: This device's fingerprint. Fingerprints, programmers and TV providers are compared byte by
    ///     byte: a difference in case is another device.
    ///   - allowedIssuers: The TV providers that the programmer works with now. If the set is empty, no token is valid.
    ///   - requestor: The programmer that uses the token; nil if one token serves all programmers.
    ///   - publicKey: The key that must have signed the token; nil to leave the check to the server, as Adobe's own
    ///     clients do.
    public func verdict(
        at date: Date,
        fingerprint: String,
        allowedIssuers: Set<String>,
        requestor: String?,
        publicKey: TokenPublicKey? = nil
    ) -> TokenVerdict {
        if let publicKey, !isSigned(by: publicKey) { return .badSignature }
        if let requestor, !requestor.utf8.elementsEqual(self.requestor.utf8) { return .otherRequestor(self.requestor) }
        if !allowedIssuers.contains(where: { $0.utf8.elementsEqual(mvpd.utf8) }) { return .issuerNotAllowed(mvpd) }
        if !fingerprint.utf8.elementsEqual(self.fingerprint.utf8) { return .foreignDevice }
        if date >= expires { return .expired(expires) }
        return .valid
    }

    /// Returns whether the token may be used on this device at this date.
    ///
    /// Like ``verdict(at:fingerprint:allowedIssuers:requestor:publicKey:)``, with the fingerprint of `device`.
    public func verdict(
        at date: Date,
        device: DeviceIdentity,
        allowedIssuers: Set<String>,
        requestor: String?,
        publicKey: TokenPublicKey? = nil
    ) -> TokenVerdict {
        verdict(
            at: date,
            fingerprint: device.fingerprint,
            allowedIssuers: allowedIssuers,
            requestor: requestor,
            publicKey: publicKey
        )
    }

    /// Returns whether this key signed the content of the token.
    public func isSigned(by key: TokenPublicKey) -> Bool {
        TokenFragment.isSigned(serialized, by: key)
    }

    /// The programmer, the TV provider and the expiry; no user, no device and no signature.
    public var description: String {
        "\(Self.self)(\(requestor), \(mvpd), expires \(TokenDate.text(expires)))"
    }
    /// The same as ``description``.
    public var debugDescription: String { description }
    /// The values shown in ``description``.
    public var customMirror: Mirror {
        Mirror(self, children: ["requestor": requestor, "mvpd": mvpd, "expires": TokenDate.text(expires)])
    }
}

/// The result of the check whether a token may be used, with the reason if not. The set of verdicts can grow.
public struct TokenVerdict: Sendable, Hashable {
    package enum Content: Sendable, Hashable {
        case valid, expired(Date), foreignDevice, issuerNotAllowed(String), otherRequestor(String), badSignature
    }

    package let content: Content

    private init(_ content: Content) { self.content = content }

    /// It may be used.
    public static let valid = TokenVerdict(.valid)
    /// It was issued to another device.
    public static let foreignDevice = TokenVerdict(.foreignDevice)
    /// It is not signed by the required key, or not signed at all.
    public static let badSignature = TokenVerdict(.badSignature)

    /// It expired at this date.
    public static func expired(_ date: Date) -> TokenVerdict { TokenVerdict(.expired(date)) }

    /// The programmer does not work, or no longer works, with this TV provider (MVPD).
    public static func issuerNotAllowed(_ mvpd: String) -> TokenVerdict { TokenVerdict(.issuerNotAllowed(mvpd)) }

    /// It was issued to this other programmer.
    public static func otherRequestor(_ requestor: String) -> TokenVerdict { TokenVerdict(.otherRequestor(requestor)) }

    /// The date at which the token expired; nil for another verdict.
    public var expirationDate: Date? { if case .expired(let date) = content { date } else { nil } }

    /// The TV provider (MVPD) that is not allowed; nil for another verdict.
    public var disallowedIssuer: String? { if case .issuerNotAllowed(let mvpd) = content { mvpd } else { nil } }

    /// The other programmer that the token was issued to; nil for another verdict.
    public var otherRequestor: String? { if case .otherRequestor(let requestor) = content { requestor } else { nil } }
}
