public import FoundationEssentials

/// Checks media tokens on a programmer's back end, before a stream starts.
///
/// It keeps nothing, so it cannot tell that a token is used a second time: whoever starts the stream keeps a register
/// of the ``MediaToken/id`` of each token that was accepted, until the token has expired and the leeway is over. Any
/// number of threads may use one verifier.
public struct MediaTokenVerifier: Sendable {
    private let publicKey: TokenPublicKey
    private let requestor: String
    private let leeway: Duration
    private let now: @Sendable () -> Date

    /// Makes a verifier.
    ///
    /// - Parameters:
    ///   - publicKey: The key of the server that issues the tokens. One server signs the tokens of every programmer.
    ///   - requestor: The programmer whose streams it guards, compared character by character. A token of another one
    ///     is refused.
    ///   - leeway: The time by which the server's clock may be ahead of or behind this one. A token is accepted that
    ///     much longer, and that much before its issue. Zero, as in Adobe's verifier: the lifetime of a token already
    ///     allows for clocks that differ. Negative counts as zero.
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
    /// Of several objections the first counts, in this order: format, signature, programmer, time, resource. The text
    /// has to be in the one canonical form of base64, so that a token cannot be passed off as another one by a space, a
    /// line end or an unused bit.
    ///
    /// - Parameters:
    ///   - serialized: The base64 text exactly as the app received it.
    ///   - resource: The resource to be played, compared character by character; nil to check authenticity and time
    ///     alone.
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
            return (.expired, "The token has expired. The app has to ask for a new one.")
        }
        // Of characters that look alike, only the same ones are the same resource.
        if let resource, !resource.utf8.elementsEqual(token.resource.utf8) {
            return (.invalidResource, "The token is for another resource. The app has to ask for one for this.")
        }
        return (.valid, nil)
    }
}

/// The finding of a ``MediaTokenVerifier``.
public struct MediaTokenVerification: Sendable, Hashable {
    /// The verdict.
    public let status: MediaTokenStatus
    /// The token; nil unless its signature is good and it was issued to this programmer, since nothing else in it is to
    /// be believed. Its ``MediaToken/id`` is what a register of used tokens keeps.
    public let token: MediaToken?
    /// Why the token is not valid, for people; nil when it is. Says nothing of what the token holds.
    public let reason: String?

    init(status: MediaTokenStatus, token: MediaToken?, reason: String?) {
        self.status = status
        self.token = token
        self.reason = reason
    }

    /// Whether the stream may start.
    public var isValid: Bool { status == .valid }
}

/// The six verdicts on a media token; the raw values are the names that Adobe's verifier gives them.
@frozen
public enum MediaTokenStatus: String, Sendable, Hashable, CaseIterable {
    /// Authentic, current, and for the programmer and the resource asked for.
    case valid = "VALID_TOKEN"
    /// Not a media token, or not written as a server writes it.
    case invalidFormat = "INVALID_TOKEN_FORMAT"
    /// Its authenticity for this programmer could not be validated: not signed, not signed by the key configured, or
    /// issued to another programmer. Adobe's names have none for the last.
    case invalidSignature = "INVALID_SIGNATURE"
    /// Authentic, but its time to live does not include now: it is over, or begins in the future.
    case expired = "TOKEN_EXPIRED"
    /// Authentic, but for another resource.
    case invalidResource = "INVALID_RESOURCE_ID"
    /// Not validated yet: what a variable of this type holds before the verifier has answered. The verifier itself
    /// never answers with it.
    case unknown = "ERROR_UNKNOWN"
}
