internal import FoundationEssentials

/// One sign-in as stored: the digests of its refresh tokens, never the tokens.
struct Session: Sendable, Hashable, Codable {
    /// The digest of the previous token, and the nonce that derives the present token from it.
    struct Rotation: Sendable, Hashable, Codable {
        let predecessor: Data
        let nonce: Data
    }

    /// The maximum number of bytes that a session grows by when its token is first exchanged.
    static let rotationSize = 200

    /// The digest of the present refresh token.
    private(set) var current: Data
    /// The derivation of the present token. Its predecessor remains valid until the present token is used.
    private(set) var rotation: Rotation?
    /// The time when the user signed in.
    let started: Int
    /// The time when the present refresh token was issued.
    private(set) var used: Int

    /// Begins a session with its first token.
    init(_ token: RefreshToken, at time: Int) {
        current = token.digest
        started = time
        used = time
    }

    /// Returns whether a token is the present one or its predecessor.
    func accepts(_ token: RefreshToken) -> Bool {
        token.digest == current || token.digest == rotation?.predecessor
    }

    /// Returns the successor of `token`, or nil if this session does not accept `token`.
    ///
    /// Exchanging the present token uses it: its predecessor is refused from now on. Exchanging the predecessor, while
    /// the present token has not been used, changes nothing and returns the present token again, derived from the
    /// stored nonce.
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
