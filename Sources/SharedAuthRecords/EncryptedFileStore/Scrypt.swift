package import Crypto
internal import CryptoExtras
package import FoundationEssentials
package import SecretService

/// How a key is derived from a passphrase (RFC 7914): the parameters as a store's header has them, or a password's
/// hash.
package struct Scrypt: Sendable, Hashable, Codable {
    /// The base-2 logarithm of N.
    package let cost: Int
    package let blockSize: Int
    package let parallelism: Int
    package let salt: Data

    /// How many bytes a derived key has.
    package static let keySize = 32
    static let costs = 10...20

    package init(cost: Int, blockSize: Int, parallelism: Int, salt: Data) {
        self.cost = cost
        self.blockSize = blockSize
        self.parallelism = parallelism
        self.salt = salt
    }

    /// Whether the parameters are in the range that a store's header ever has.
    var isUsable: Bool { isUsable(costs: Self.costs) && (16...64).contains(salt.count) }

    /// Whether the parameters are in a range that is ever written: others would take any amount of memory and time. The
    /// salt is the caller's to check.
    package func isUsable(costs: ClosedRange<Int>) -> Bool {
        costs.contains(cost) && (1...16).contains(blockSize) && (1...4).contains(parallelism)
    }

    /// The key; nil when there is too little memory.
    package func key(of passphrase: Secret) -> SymmetricKey? {
        unsafe passphrase.withUnsafeBytes { bytes in
            try? unsafe KDF.Scrypt.deriveKey(
                from: bytes,
                salt: salt,
                outputByteCount: Self.keySize,
                rounds: 1 << cost,
                blockSize: blockSize,
                parallelism: parallelism
            )
        }
    }
}
