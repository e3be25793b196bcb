internal import Crypto
internal import FoundationEssentials
internal import JSONWebSignature
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

    /// The key that signs ID tokens, with its thumbprint as the label.
    var signer: SigningKey { SigningKey(.p256(signing), id: SigningKey(.p256(signing)).verifier.thumbprint) }

    /// The public part of the signing key, as a JSON Web Key Set.
    var publicKeySet: String {
        String(decoding: JSONValue.object(["keys": .array([signer.verifier.json])]).bytes, as: UTF8.self)
    }
}

extension SymmetricKey {
    /// A copy of the key's bytes.
    var bytes: Data { unsafe withUnsafeBytes { unsafe Data($0) } }
}
