public import FoundationEssentials

/// Checks media tokens on a programmer's back end, before a stream starts.
///
/// It keeps no state, so it cannot detect that a token is used a second time. The code that starts the stream must keep
/// a register of the ``MediaToken/id`` of each accepted token, until the token has expired and the leeway has passed.
/// Any number of threads may use one verifier.
public struct MediaTokenVerifier: Sendable {
    private let publicKey: TokenPublicKey
    private let requestor: String
    private let leeway: Duration
    private let now: @Sendable () -> Date

    /// Creates a verifier.
    ///
    /// - Parameters:
    ///   - publicKey: The key of the server that issues the tokens. One server signs the tokens of all programmers.
    ///   - requestor: The programmer whose streams are protected, compared character by character. A token of another
    ///     programmer is refused.
    ///   - leeway: The time by which the server's clock may be ahead of or behind this one. A token is accepted that
    ///     much longer, and that much before its issue. Zero, as in Adobe's verifier: the lifetime of a token already
    ///     allows for clock differences. Negative counts as zero.
    ///   - now: The clock.
    public init(
        publicKey: TokenPublicKey,
        requestor: String,
        leeway: Duration = .zero,
        now: @escaping @Sendable () -> Date = { Date() }
    ) {
        self.publicKey = publicKey
        self.requestor = requestor
        self.leeway = max(.zero, leeway)
        self.now = now
    }

    /// Checks a token.
    ///
    /// If several checks fail, the first is reported, in this order: format, signature, programmer, time, resource. The
    /// text must be in canonical base64, so that a space, a line end or an unused bit cannot make a token look like
    /// another one.
    ///
    /// - Parameters:
    ///   - serialized: The base64 text exactly as the app received it.
    ///   - resource: The resource to be played, compared character by character; nil to check only authenticity and
    ///     time.
    public func verify(_ serialized: String, resource: String? = nil) -> MediaTokenVerification {
        let token: MediaToken
        do throws(PassTokenError) {
            token = try MediaToken(base64: serialized)
        } catch {
            return MediaTokenVerification(status: .invalidFormat, token: nil, reason: error.message)
        }
        guard token.isCanonical else {
            return MediaTokenVerification(
                status: .invalidFormat,
                token: nil,
                reason:
                    "The token's base64 has white space or unused bits in it. Pass it on exactly as the server sent it."
            )
        }
        guard token.isSigned(by: publicKey) else {
            return MediaTokenVerification(
                status: .invalidSignature,
                token: nil,
                reason: "The token is not signed by the key that was configured. Check the key, or refuse the app."
            )
        }
        guard token.requestor.utf8.elementsEqual(requestor.utf8) else {
            return MediaTokenVerification(
                status: .invalidSignature,
                token: nil,
                reason: "The token was issued to another programmer. Refuse the app, or check the requestor configured."
            )
        }
        let (status, reason) = judge(token, for: resource)
        return MediaTokenVerification(status: status, token: token, reason: reason)
    }

    private func judge(_ token: MediaToken, for resource: String?) -> (MediaTokenStatus, String?) {
        let (now, tolerance) = (now(), leeway / .seconds(1))
        if token.issued.timeIntervalSince(now) > tolerance {
            return (.expired, "The token was issued in the future. Set this machine's clock, or the server's.")
        }
        if now.timeIntervalSince(token.expires) >= tolerance {
            return (.expired, "The token has expired. The app has to request a new one.")
        }
        // Compared byte by byte: resources whose characters only look alike are different.
        if let resource, !resource.utf8.elementsEqual(token.resource.utf8) {
            return (.invalidResource, "The token is for another resource. The app has to request one for it.")
        }
        return (.valid, nil)
    }
}

/// The result of a ``MediaTokenVerifier``.
public struct MediaTokenVerification: Sendable, Hashable {
    /// The verdict.
    public let status: MediaTokenStatus
    /// The token; nil unless its signature is valid and it was issued to this programmer, since no other content can be
    /// trusted. Store its ``MediaToken/id`` in the register of used tokens.
    public let token: MediaToken?
    /// The reason why the token is not valid, as text for the user; nil if it is valid. Contains nothing from the
    /// token.
    public let reason: String?

    init(status: MediaTokenStatus, token: MediaToken?, reason: String?) {
        self.status = status
        self.token = token
        self.reason = reason
    }

    /// Indicates whether the stream may start.
    public var isValid: Bool { status == .valid }
}

/// The six results of the check of a media token. The raw values are the names in Adobe's verifier.
@frozen
public enum MediaTokenStatus: String, Sendable, Hashable, CaseIterable {
    /// Authentic, current, and issued for this programmer and the requested resource.
    case valid = "VALID_TOKEN"
    /// Not a media token, or not encoded as a server encodes it.
    case invalidFormat = "INVALID_TOKEN_FORMAT"
    /// Its authenticity for this programmer could not be validated: not signed, not signed by the configured key, or
    /// issued to another programmer. Adobe has no name for the last case.
    case invalidSignature = "INVALID_SIGNATURE"
    /// Authentic, but expired, or issued in the future.
    case expired = "TOKEN_EXPIRED"
    /// Authentic, but for another resource.
    case invalidResource = "INVALID_RESOURCE_ID"
    /// Not validated yet: an initial value for a variable of this type. The verifier never returns it.
    case unknown = "ERROR_UNKNOWN"
}
