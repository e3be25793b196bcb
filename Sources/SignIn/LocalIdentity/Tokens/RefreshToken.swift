internal import Crypto
internal import FoundationEssentials
internal import SharedAuth

/// A refresh token: 32 secret bytes and the account's uid, preceded by a seal (HMAC) over both.
///
/// The seal distinguishes a token that was issued here, even if it is no longer valid, from one that never was, without
/// a list of all issued tokens. The account's record has only a digest of the token.
struct RefreshToken: Sendable {
    static let secretSize = 32
    static let nonceSize = 16
    private static let sealSize = 32

    let uid: String
    private let secret: [UInt8]
    private let bytes: [UInt8]

    /// Creates a token.
    init(uid: String, secret: [UInt8], _ keys: IdentityKeys) {
        self.uid = uid
        self.secret = secret
        let content = secret + Array(uid.utf8)
        bytes = Array(HMAC<SHA256>.authenticationCode(for: Self.sealed(content), using: keys.sealing)) + content
    }

    /// Parses a token; nil if it was not issued here.
    init?(_ text: String, _ keys: IdentityKeys) {
        guard let bytes = Base64URL.decode(text.utf8), bytes.count > Self.sealSize + Self.secretSize else { return nil }
        let (seal, content) = (bytes.prefix(Self.sealSize), bytes.dropFirst(Self.sealSize))
        guard
            HMAC<SHA256>.isValidAuthenticationCode(seal, authenticating: Self.sealed(content), using: keys.sealing)
        else { return nil }
        secret = Array(content.prefix(Self.secretSize))
        uid = String(decoding: content.dropFirst(Self.secretSize), as: UTF8.self)
        self.bytes = bytes
    }

    /// The token in the form that apps keep.
    var text: String { Base64URL.encode(bytes) }

    /// The digest of the token, for the account's record.
    var digest: Data { Data(SHA256.hash(data: bytes)) }

    /// Returns the successor of this token: the same for the same nonce, and not predictable from this token alone.
    func successor(_ nonce: [UInt8], _ keys: IdentityKeys) -> RefreshToken {
        let input = Array("successor".utf8) + nonce + secret
        let secret = HMAC<SHA256>.authenticationCode(for: input, using: keys.sealing)
        return RefreshToken(uid: uid, secret: Array(secret), keys)
    }

    private static func sealed(_ content: some Sequence<UInt8>) -> [UInt8] { Array("seal".utf8) + content }
}
