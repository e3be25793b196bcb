internal import Crypto
internal import CryptoExtras
internal import FoundationEssentials
internal import SecretService

/// How a key is derived from a passphrase (RFC 7914), as it stands in a store's header.
struct Scrypt: Sendable, Hashable, Codable {
    /// The base-2 logarithm of N.
    let cost: Int
    let blockSize: Int
    let parallelism: Int
    let salt: Data

    static let costs = 10...20

    /// Whether the parameters are in the range that is ever written: others would take any amount of memory and time.
    var isUsable: Bool {
        Self.costs.contains(cost) && (1...16).contains(blockSize) && (1...4).contains(parallelism)
            && (16...64).contains(salt.count)
    }

    /// The key; nil when there is too little memory.
    func key(of passphrase: Secret) -> SymmetricKey? {
        unsafe passphrase.withUnsafeBytes { bytes in
            try? unsafe KDF.Scrypt.deriveKey(
                from: bytes,
                salt: salt,
                outputByteCount: 32,
                rounds: 1 << cost,
                blockSize: blockSize,
                parallelism: parallelism
            )
        }
    }
}
