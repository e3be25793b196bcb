public import FoundationEssentials

/// Checks media tokens on a programmer's back end, before a stream starts.
///
/// It keeps nothing, so it cannot tell that a token is used a second time: whoever starts the stream keeps a register of the
/// ``MediaToken/id`` of each token that was accepted, until the token has expired and the leeway is over. Any number of
/// threads may use one verifier.
public struct MediaTokenVerifier: Sendable {
    private let publicKey: TokenPublicKey
    private let requestor: String
    private let leeway: Duration
    private let now: @Sendable () -> Date

    /// Makes a verifier.
    ///
    /// - Parameters:
    ///   - publicKey: The key of the server that issues the tokens. One server signs the tokens of every programmer.
    ///   - requestor: The programmer whose streams it guards, compared character by character. A token of another one is
    ///     refused.
    ///   - leeway: How far the server's clock may be ahead of or behind this one. A token is accepted that much longer, and
    ///     that much before its issue. Zero, as in Adobe's verifier: the lifetime of a token already allows for clocks that
    ///     differ. Negative counts as zero.
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
    /// Of several objections the first counts, in this order: format, signature, programmer, time, resource. The text has to
    /// be in the one canonical form of base64, so that a token cannot be passed off as another one by a space, a line end or
    /// an unused bit.
    ///
    /// - Parameters:
    ///   - serialized: The base64 text exactly as the app received it.
    ///   - resource: What is to be played, compared character by character; nil to check authenticity and time alone.
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
