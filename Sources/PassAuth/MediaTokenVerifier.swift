public import FoundationEssentials

/// Checks media tokens on a programmer's back end, before a stream starts.
///
/// It keeps nothing, so it cannot tell that a token is used a second time: whoever starts the stream remembers the tokens
/// that were accepted until they expire. Any number of threads may use one verifier.
public struct MediaTokenVerifier: Sendable {
    private let publicKey: TokenPublicKey
    private let leeway: Duration
    private let now: @Sendable () -> Date

    /// Makes a verifier.
    ///
    /// - Parameters:
    ///   - publicKey: The key of the server that issues the tokens.
    ///   - leeway: How far the server's clock may be ahead of or behind this one. A token is accepted that much longer, and
    ///     that much before its issue. Negative counts as zero.
    ///   - now: The clock.
    public init(
        publicKey: TokenPublicKey,
        leeway: Duration = .seconds(30),
        now: @escaping @Sendable () -> Date = { Date() }
    ) {
        self.publicKey = publicKey
        self.leeway = max(.zero, leeway)
        self.now = now
    }

    /// Checks a token.
    ///
    /// Of several objections the first counts, in this order: format, signature, time, resource.
    ///
    /// - Parameters:
    ///   - serialized: The base64 text as the app handed it over.
    ///   - resource: What is to be played, compared character by character; nil to check authenticity and time alone.
    public func verify(_ serialized: String, resource: String? = nil) -> MediaTokenVerification {
        let token: MediaToken
        do throws(PassTokenError) {
            token = try MediaToken(base64: serialized)
        } catch {
            return MediaTokenVerification(status: .invalidFormat, token: nil, reason: error.message)
        }
        guard token.isSigned(by: publicKey) else {
            return MediaTokenVerification(
                status: .invalidSignature,
                token: nil,
                reason: "The token is not signed by the key that was configured. Check the key, or refuse the app."
            )
        }
        let (status, reason) = judge(token, for: resource)
        return MediaTokenVerification(status: status, token: token, reason: reason)
    }

    private func judge(_ token: MediaToken, for resource: String?) -> (MediaTokenStatus, String?) {
        let (now, tolerance) = (now(), leeway / .seconds(1))
        if token.issued.timeIntervalSince(now) > tolerance {
            return (.unknown, "The token was issued in the future. Set this machine's clock, or the server's.")
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
