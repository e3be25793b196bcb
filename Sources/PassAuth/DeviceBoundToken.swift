public import FoundationEssentials

/// A token that is good on one device, for one programmer and one provider, until a date.
///
/// Printed, such a token shows the programmer, the provider and the expiry alone.
public protocol DeviceBoundToken: Sendable, Hashable, CustomStringConvertible, CustomDebugStringConvertible,
    CustomReflectable
{
    /// The programmer it was issued to.
    var requestor: String { get }
    /// The provider (MVPD) that issued it.
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
    /// The programmer, the provider and the expiry; no user, no device and no signature.
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
