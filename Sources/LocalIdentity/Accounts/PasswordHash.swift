internal import Crypto
internal import CryptoExtras
internal import Dispatch
internal import FoundationEssentials
internal import SharedAuth

/// What is stored of a password: an scrypt hash, and what it was made with.
struct PasswordHash: Sendable, Hashable, Codable {
    /// The base-2 logarithm of scrypt's N.
    let cost: Int
    let blockSize: Int
    let parallelism: Int
    let salt: Data
    let hash: Data

    private static let hashSize = 32
    private static let blockSizeOfNew = 8
    private static let costs = 4...18
    // One at a time: each takes tens of megabytes.
    private static let queue = DispatchQueue(label: "LocalIdentity.PasswordHash")

    /// Hashes a password, off the caller's thread.
    static func make(of password: String, cost: Int, salt: [UInt8]) async throws(AuthError) -> PasswordHash {
        let blank = PasswordHash(
            cost: usableCost(cost),
            blockSize: blockSizeOfNew,
            parallelism: 1,
            salt: Data(salt),
            hash: Data()
        )
        let key = try await blank.derive(password)
        return PasswordHash(
            cost: blank.cost,
            blockSize: blank.blockSize,
            parallelism: blank.parallelism,
            salt: blank.salt,
            hash: key.bytes
        )
    }

    /// Whether this is the password, in the same time whatever it is.
    func matches(_ password: String) async throws(AuthError) -> Bool {
        // No account has an empty one, and scrypt does not take it.
        guard !password.isEmpty else { return false }
        return try await derive(password) == SymmetricKey(data: hash)
    }

    /// Whether the parameters are in the range that is ever written: others would take any amount of memory.
    var isUsable: Bool {
        Self.costs.contains(cost) && (1...16).contains(blockSize) && (1...4).contains(parallelism)
            && salt.count >= 8 && hash.count == Self.hashSize
    }

    /// Whether guessing the password takes less memory than with a new hash of this cost.
    func isWeaker(than cost: Int) -> Bool {
        (1 << self.cost) * blockSize < (1 << Self.usableCost(cost)) * Self.blockSizeOfNew
    }

    /// The nearest cost that is accepted.
    static func usableCost(_ cost: Int) -> Int { min(max(cost, costs.lowerBound), costs.upperBound) }

    private func derive(_ password: String) async throws(AuthError) -> SymmetricKey {
        try await Self.queue.perform { () throws(AuthError) in
            do {
                return try KDF.Scrypt.deriveKey(
                    from: Array(password.utf8),
                    salt: salt,
                    outputByteCount: Self.hashSize,
                    rounds: 1 << cost,
                    blockSize: blockSize,
                    parallelism: parallelism
                )
            } catch {
                throw AuthError(.internalError, "The password could not be hashed; is there memory left?")
            }
        }
    }
}
