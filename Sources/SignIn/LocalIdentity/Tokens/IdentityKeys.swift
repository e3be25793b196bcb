internal import Crypto
internal import FoundationEssentials
internal import SharedAuth

/// The project's keys: one signs ID tokens, the other seals refresh tokens.
struct IdentityKeys: Sendable {
    /// The stored form of the keys.
    struct Stored: Codable, Sendable {
        let signing: Data
        let sealing: Data
    }

    let signing: P256.Signing.PrivateKey
    let sealing: SymmetricKey

    /// Generates new keys.
    init() {
        signing = P256.Signing.PrivateKey()
        sealing = SymmetricKey(size: .bits256)
    }

    /// Creates keys from their stored form; nil if it is invalid.
    init?(_ stored: Stored) {
        guard
            stored.sealing.count == 32,
            let signing = try? P256.Signing.PrivateKey(rawRepresentation: stored.signing)
        else { return nil }
        self.signing = signing
        sealing = SymmetricKey(data: stored.sealing)
    }

    var stored: Stored { Stored(signing: signing.rawRepresentation, sealing: sealing.bytes) }

    /// The ID of the signing key: its JSON Web Key thumbprint (RFC 7638).
    var id: String {
        let (x, y) = coordinates
        let members = #"{"crv":"P-256","kty":"EC","x":"\#(x)","y":"\#(y)"}"#
        return Base64URL.encode(SHA256.hash(data: Array(members.utf8)))
    }

    /// The public part of the signing key, as a JSON Web Key Set.
    var publicKeySet: String {
        let (x, y) = coordinates
        return
            #"{"keys":[{"alg":"ES256","crv":"P-256","kid":"\#(id)","kty":"EC","use":"sig","x":"\#(x)","y":"\#(y)"}]}"#
    }

    private var coordinates: (x: String, y: String) {
        let point = signing.publicKey.rawRepresentation
        return (Base64URL.encode(point.prefix(32)), Base64URL.encode(point.suffix(32)))
    }
}

extension SymmetricKey {
    /// A copy of the key's bytes.
    var bytes: Data { unsafe withUnsafeBytes { unsafe Data($0) } }
}
