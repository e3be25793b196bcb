internal import Crypto
internal import FoundationEssentials
internal import KeyDerivation
internal import SharedAuthRecords

/// A store's description of its key, in a separate file: nothing secret, and enough to distinguish a wrong key from
/// damage.
struct StoreHeader: Sendable, Hashable, Codable {
    static let name = "store.json"
    private static let context = Array("SharedAuth store 1".utf8)

    var version = 1
    /// The parameters of the key's derivation; nil if the key is a file or a credential.
    let scrypt: Scrypt?
    /// The salt, which distinguishes this store's derived keys from those of other stores with the same key.
    let salt: Data
    /// A value derived from the key, by which a wrong key is recognized.
    let check: Data
    /// The SHA-256 of all the above.
    let sum: Data

    /// Creates the header of a new store.
    init(scrypt: Scrypt?, salt: Data, key: SymmetricKey) {
        self.scrypt = scrypt
        self.salt = salt
        check = unsafe Self.derived("check", key, salt).withUnsafeBytes { unsafe Data($0) }
        sum = Self.sum(version: 1, scrypt, salt, check)
    }

    /// Returns whether the header is unchanged since it was written with this version, and all values are in the valid
    /// ranges.
    private func isSound(as version: Int) -> Bool {
        sum == Self.sum(version: version, scrypt, salt, check) && scrypt?.isOfStore != false && salt.count >= 16
            && check.count == 32
    }

    /// Returns the key of the records if this is the store's key, otherwise nil.
    func recordKey(_ key: SymmetricKey) -> SymmetricKey? {
        // Keys are compared in constant time.
        Self.derived("check", key, salt) == SymmetricKey(data: check) ? Self.derived("records", key, salt) : nil
    }

    private static func derived(_ purpose: String, _ key: SymmetricKey, _ salt: Data) -> SymmetricKey {
        HKDF<SHA256>.deriveKey(
            inputKeyMaterial: key,
            salt: salt,
            info: context + Array(" \(purpose)".utf8),
            outputByteCount: 32
        )
    }

    private static func sum(version: Int, _ scrypt: Scrypt?, _ salt: Data, _ check: Data) -> Data {
        var hash = SHA256()
        let numbers = [version, scrypt?.cost ?? 0, scrypt?.blockSize ?? 0, scrypt?.parallelism ?? 0]
        hash.update(data: Array(numbers.map(String.init).joined(separator: " ").utf8))
        for part in [scrypt?.salt ?? Data(), salt, check] { hash.update(data: SHA256.hash(data: part).bytes) }
        return Data(hash.finalize())
    }
}

extension SHA256Digest {
    fileprivate var bytes: Data { Data(self) }
}

extension Scrypt {
    static let storeCosts = 10...20

    /// Indicates whether the parameters are in the range that stores write to their headers.
    var isOfStore: Bool { isUsable(costs: Self.storeCosts) && (16...64).contains(salt.count) }
}

extension StoreHeader {
    /// Encodes the header's file.
    func encoded() throws(RecordStoreError) -> [UInt8] {
        do {
            return try StableJSON.encode(self)
        } catch {
            throw RecordStoreError(.failed, "The store's header cannot be written.", underlying: error)
        }
    }

    /// Decodes the header's file at `path`.
    ///
    /// - Throws: `damaged` or `newerVersion`.
    init(decoding text: [UInt8], path: String) throws(RecordStoreError) {
        struct Version: Decodable { let version: Int }
        let header = try? UntrustedJSON.decode(StoreHeader.self, from: text)
        if let version = (try? UntrustedJSON.decode(Version.self, from: text))?.version, version > 1 {
            // A newer format differs from this one in more than its version number.
            guard header?.isSound(as: 1) != true else {
                throw .damagedHeader("The number of the version in the store's header \(path) was changed.")
            }
            throw RecordStoreError(
                .newerVersion,
                "The store was made by a newer version of SharedAuth: its header \(path) is of version \(version)."
            )
        }
        guard let header, header.isSound(as: header.version) else {
            throw .damagedHeader("The store's header \(path) is damaged.")
        }
        self = header
    }
}

extension RecordStoreError {
    static func damagedHeader(_ message: String) -> RecordStoreError {
        RecordStoreError(
            .damaged,
            message,
            remedy: "Restore it from a backup, or move the whole directory away to begin a new store."
        )
    }
}
