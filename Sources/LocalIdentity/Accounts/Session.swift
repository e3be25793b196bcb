internal import FoundationEssentials

/// One sign-in, as it is stored: digests of its refresh tokens, never the tokens.
struct Session: Sendable, Hashable, Codable {
    /// The token before the present one, and the random part that leads from it to the present one.
    struct Rotation: Sendable, Hashable, Codable {
        let predecessor: Data
        let nonce: Data
    }

    /// How many bytes, at most, a session is longer once its token was exchanged for the first time.
    static let rotationSize = 200

    /// The digest of the present refresh token.
    private(set) var current: Data
    /// How the present token came about; its predecessor is good until the present one is used.
    private(set) var rotation: Rotation?
    /// When the user signed in.
    let started: Int
    /// When tokens were issued last.
    private(set) var used: Int

    /// Begins a session with its first token.
    init(_ token: RefreshToken, at time: Int) {
        current = token.digest
        started = time
        used = time
    }

    /// Whether a token is the present one, or the one before that.
    func accepts(_ token: RefreshToken) -> Bool {
        token.digest == current || token.digest == rotation?.predecessor
    }

    /// Gives the token that follows `token`, or nil when `token` is not one this session accepts.
    ///
    /// The present token is thereby used: its predecessor is refused from now on. The predecessor of a present token
    /// that was never used changes nothing, and gives the present token again, which can be derived again from the
    /// nonce.
    mutating func rotate(_ token: RefreshToken, nonce: [UInt8], _ keys: IdentityKeys, at time: Int) -> RefreshToken? {
        if token.digest == current {
            let successor = token.successor(nonce, keys)
            rotation = Rotation(predecessor: current, nonce: Data(nonce))
            current = successor.digest
            used = max(used, time)
            return successor
        }
        guard let rotation, token.digest == rotation.predecessor else { return nil }
        return token.successor(Array(rotation.nonce), keys)
    }
}
