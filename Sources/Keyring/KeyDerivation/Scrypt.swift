package import Crypto
internal import CryptoExtras
package import FoundationEssentials
package import SecretService

/// The parameters for deriving a key from a passphrase (RFC 7914), stored in a store's header or with a password's
/// hash.
package struct Scrypt: Sendable, Hashable, Codable {
    /// The base-2 logarithm of N.
    package let cost: Int
    package let blockSize: Int
    package let parallelism: Int
    package let salt: Data

    /// The size of a derived key in bytes.
    package static let keySize = 32

    package init(cost: Int, blockSize: Int, parallelism: Int, salt: Data) {
        self.cost = cost
        self.blockSize = blockSize
        self.parallelism = parallelism
        self.salt = salt
    }

    /// Returns whether the parameters are in a range that is ever written; others could require any amount of memory
    /// and time. Does not check the salt.
    package func isUsable(costs: ClosedRange<Int>) -> Bool {
        costs.contains(cost) && (1...16).contains(blockSize) && (1...4).contains(parallelism)
    }

    /// Returns the key; nil if there is too little memory.
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
