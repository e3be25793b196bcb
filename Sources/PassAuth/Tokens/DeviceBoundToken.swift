public import FoundationEssentials

/// A token that is good on one device, for one programmer and one TV provider, until a date.
///
/// Printed, such a token shows the programmer, the TV provider and the expiry alone.
public protocol DeviceBoundToken: Sendable, Hashable, CustomStringConvertible, CustomDebugStringConvertible,
    CustomReflectable
{
    /// The programmer it was issued to.
    var requestor: String { get }
    /// The TV provider (MVPD) that issued it.
    var mvpd: String { get }
    /// When it expires.
    var expires: Date { get }
    /// The fingerprint of the device it was issued to, without the white space around it.
    var fingerprint: String { get }
    /// The fragment exactly as it was received: what is stored, and what is sent back.
    var serialized: String { get }

    /// Reads a token as received.
    ///
    /// - Throws: `PassTokenError` for what cannot be read as one token of this kind; never for one that is expired or
    ///   another's, which is for ``verdict(at:fingerprint:allowedIssuers:requestor:publicKey:)`` to say.
    init(fragment: String) throws(PassTokenError)
}

extension DeviceBoundToken {
    /// Whether the token may be used, from this device, at this date.
    ///
    /// Of several objections the first counts, in this order: signature, programmer, TV provider, device, expiry.
    ///
    /// - Parameters:
    ///   - date: Now. At the very instant of its expiry a token is expired.
    ///   - fingerprint: This device's. It is compared byte by byte, as programmers and TV providers are: a difference in case is
    ///     another device.
    ///   - allowedIssuers: The TV providers that the programmer works with now. Of none of them, no token is valid.
    ///   - requestor: The programmer that asks; nil where one token serves every programmer.
    ///   - publicKey: The key that must have signed the token; nil to leave that to the server, as Adobe's own clients
    ///     do.
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

    /// Whether the token may be used, from this device, at this date.
    ///
    /// As ``verdict(at:fingerprint:allowedIssuers:requestor:publicKey:)``, with the device's own fingerprint.
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

    /// Whether this key signed what the token says.
    public func isSigned(by key: TokenPublicKey) -> Bool {
        TokenFragment.isSigned(serialized, by: key)
    }

    /// The programmer, the TV provider and the expiry; no user, no device and no signature.
    public var description: String {
        "\(Self.self)(\(requestor), \(mvpd), expires \(TokenDate.text(expires)))"
    }
    /// As ``description``.
    public var debugDescription: String { description }
    /// As ``description``.
    public var customMirror: Mirror {
        Mirror(self, children: ["requestor": requestor, "mvpd": mvpd, "expires": TokenDate.text(expires)])
    }
}

/// Whether a token may be used here and now and, if not, why not. The set of verdicts can grow.
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
    /// It is not signed by the key that was asked for, or not at all.
    public static let badSignature = TokenVerdict(.badSignature)

    /// It was good until this date.
    public static func expired(_ date: Date) -> TokenVerdict { TokenVerdict(.expired(date)) }

    /// This TV provider (MVPD) is not, or no longer, among those that the programmer works with.
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
