internal import Crypto
internal import Dispatch
internal import FoundationEssentials
internal import KeyDerivation
internal import SecretService
internal import SharedAuth

/// An scrypt hash of a password, with its parameters.
struct PasswordHash: Sendable, Hashable, Codable {
    /// The base-2 logarithm of scrypt's N.
    let cost: Int
    let blockSize: Int
    let parallelism: Int
    let salt: Data
    let hash: Data

    private static let blockSizeOfNew = 8
    private static let costs = 4...18
    // A serial queue: each hash takes 128 MiB at the default cost.
    private static let queue = DispatchQueue(label: "LocalIdentity.PasswordHash")

    /// Hashes a password off the caller's thread.
    static func make(of password: String, cost: Int, salt: [UInt8]) async throws(AuthError) -> PasswordHash {
        let scrypt = Scrypt(cost: usableCost(cost), blockSize: blockSizeOfNew, parallelism: 1, salt: Data(salt))
        return PasswordHash(scrypt, hash: try await derive(password, scrypt).bytes)
    }

    /// Returns whether this is the password. Compares the hashes in constant time.
    func matches(_ password: String) async throws(AuthError) -> Bool {
        // No account has an empty password, and scrypt rejects it.
        guard !password.isEmpty else { return false }
        return try await Self.derive(password, scrypt) == SymmetricKey(data: hash)
    }

    /// True if the parameters are in the accepted range. Others could need any amount of memory.
    var isUsable: Bool {
        scrypt.isUsable(costs: Self.costs) && salt.count >= 8 && hash.count == Scrypt.keySize
    }

    /// Returns whether guessing the password takes less memory than with a new hash of this cost.
    func isWeaker(than cost: Int) -> Bool {
        (1 << self.cost) * blockSize < (1 << Self.usableCost(cost)) * Self.blockSizeOfNew
    }

    /// Returns the nearest accepted cost.
    static func usableCost(_ cost: Int) -> Int { min(max(cost, costs.lowerBound), costs.upperBound) }

    private var scrypt: Scrypt { Scrypt(cost: cost, blockSize: blockSize, parallelism: parallelism, salt: salt) }

    private static func derive(_ password: String, _ scrypt: Scrypt) async throws(AuthError) -> SymmetricKey {
        try await queue.perform { () throws(AuthError) in
            guard let key = scrypt.key(of: Secret(password)) else {
                throw AuthError(.internalError, "The password could not be hashed. Free some memory and try again.")
            }
            return key
        }
    }
}

extension PasswordHash {
    private init(_ scrypt: Scrypt, hash: Data) {
        self.init(
            cost: scrypt.cost,
            blockSize: scrypt.blockSize,
            parallelism: scrypt.parallelism,
            salt: scrypt.salt,
            hash: hash
        )
    }
}
