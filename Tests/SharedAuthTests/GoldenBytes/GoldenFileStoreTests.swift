import Crypto
import CryptoExtras
import FoundationEssentials
import SecretService
import TestSupport
import Testing

@testable import SharedAuth
@testable import SharedAuthRecords

/// The directory of an encrypted-file store, with either kind of key.
///
/// The golden files are read by the store, and by code of the test's own, which shares nothing with the store's: so a
/// mistake in writing that reading makes, too, is noticed.
struct GoldenFileStoreTests {
    /// A store as it is checked in.
    enum Golden: String, CaseIterable {
        case keyFile = "file-store-key-file"
        case passphrase = "file-store-passphrase"

        var scrypt: Scrypt? {
            guard self == .passphrase else { return nil }
            return Scrypt(cost: 10, blockSize: 8, parallelism: 1, salt: Data(repeating: 0x5A, count: 32))
        }

        /// The key that the header's keys are derived from.
        func key() throws -> SymmetricKey {
            switch self {
            case .keyFile:
                SymmetricKey(data: (0..<32).map { UInt8($0) })
            case .passphrase:
                try KDF.Scrypt.deriveKey(
                    from: Array(Self.words.utf8),
                    salt: Data(repeating: 0x5A, count: 32),
                    outputByteCount: 32,
                    rounds: 1024,
                    blockSize: 8,
                    parallelism: 1
                )
            }
        }

        func source(in place: FilePlace) throws -> FileStoreKey {
            if self == .passphrase { return .passphrase(Secret(Array(Self.words.utf8)), cost: 10) }
            try place.writeKey((0..<32).map { UInt8($0) }, to: place.keyFile)
            return .keyFile(place.keyFile)
        }

        private static let words = "correct horse battery staple"
    }

    private static let salt = Data((0..<32).map { UInt8(0xE0 &+ $0) })
    private static let record = Record(
        payload: Array("{\"payload\":\"of any kind\"}".utf8) + [0, 0xFF],
        revision: Revision(counter: 0x0102_0304_0506_0708, nonce: 0xFEDC_BA98_7654_3210)
    )

    private let place: FilePlace

    init() throws {
        place = try FilePlace()
    }

    private func name(_ golden: Golden) throws -> String {
        let names = try FilePlace.names(in: GoldenBytes.path(golden.rawValue))
        return try #require(names.first { $0.hasSuffix(".record") })
    }

    @Test("The golden store opens with its key, and holds the record it was written with", arguments: Golden.allCases)
    func reads(golden: Golden) throws {
        let store = place.store(key: try golden.source(in: place))
        try SmallFile.makeDirectory(place.directory)
        for name in [StoreHeader.name, try name(golden)] {
            try place.put(GoldenBytes.read("\(golden.rawValue)/\(name)"), at: "\(place.directory)/\(name)")
        }
        guard case .whole(let record) = try store.read(.mail, by: .after(.seconds(20))) else {
            Issue.record("no record")
            return
        }
        #expect(record == Self.record)
        #expect(try store.text(.other) == nil)
    }

    @Test("The same key and salts make the golden header", arguments: Golden.allCases)
    func writesHeader(golden: Golden) throws {
        let header = StoreHeader(scrypt: golden.scrypt, salt: Self.salt, key: try golden.key())
        try GoldenBytes.expect(header.encoded(), areThoseOf: "\(golden.rawValue)/\(StoreHeader.name)")
    }

    @Test("A new store writes a header and a record of the golden form", arguments: Golden.allCases)
    func writesStore(golden: Golden) throws {
        let store = place.store(key: try golden.source(in: place))
        try store.put(String(decoding: Self.record.payload.dropLast(2), as: UTF8.self), .mail)
        #expect(try place.names() == [try name(golden), StoreHeader.name].sorted())
        // The salts, and what comes of them, are random; the rest is the golden header's.
        let members = { (text: [UInt8]) in try JSONDecoder().decode([String: JSONValue].self, from: Data(text)) }
        let written = try members(place.bytes("\(place.directory)/\(StoreHeader.name)"))
        let expected = try members(GoldenBytes.read("\(golden.rawValue)/\(StoreHeader.name)"))
        #expect(written.keys.sorted() == expected.keys.sorted())
        #expect(written["version"] == expected["version"])
        for member in ["cost", "blockSize", "parallelism"] {
            #expect(written["scrypt"]?[member] == expected["scrypt"]?[member])
        }
    }

    @Test("The golden record is what the format's description says, byte for byte", arguments: Golden.allCases)
    func describesRecord(golden: Golden) throws {
        let text = try GoldenBytes.read("\(golden.rawValue)/\(name(golden))")
        let head = Array("SharedAuthFile1.".utf8) + Self.digest(of: .mail)
        #expect(text.starts(with: head))
        let box = try AES.GCM.SealedBox(combined: text.dropFirst(head.count))
        #expect(try AES.GCM.open(box, using: try recordKey(golden), authenticating: head) == Data(plain))
    }

    @Test("A record is sealed to the golden form, with a nonce of its own", arguments: Golden.allCases)
    func writesRecord(golden: Golden) throws {
        let key = try recordKey(golden)
        let sealed = try RecordCipher(key: key).seal(Self.record, for: .mail)
        let golden = try GoldenBytes.read("\(golden.rawValue)/\(name(golden))")
        let head = golden.prefix(32)
        #expect(sealed.count == golden.count && sealed.prefix(32) == head)
        #expect(sealed[32..<44] != golden[32..<44])
        let box = try AES.GCM.SealedBox(combined: sealed.dropFirst(32))
        #expect(try AES.GCM.open(box, using: key, authenticating: head) == Data(plain))
        // With the golden file's nonce it is the golden file.
        let again = try AES.GCM.seal(
            plain,
            using: key,
            nonce: AES.GCM.Nonce(data: golden[32..<44]),
            authenticating: head
        )
        #expect(Array(head) + Array(try #require(again.combined)) == golden)
    }

    /// The sealed part: the revision and the payload.
    private var plain: [UInt8] {
        [1, 2, 3, 4, 5, 6, 7, 8, 0xFE, 0xDC, 0xBA, 0x98, 0x76, 0x54, 0x32, 0x10] + Self.record.payload
    }

    private func recordKey(_ golden: Golden) throws -> SymmetricKey {
        HKDF<SHA256>.deriveKey(
            inputKeyMaterial: try golden.key(),
            salt: Self.salt,
            info: Array("SharedAuth store 1 records".utf8),
            outputByteCount: 32
        )
    }

    private static func digest(of key: RecordKey) -> [UInt8] {
        let parts = ["app:com.example.Mail", key.project, key.instance, key.kind]
        return Array(SHA256.hash(data: Array(parts.joined(separator: "\n").utf8)).prefix(16))
    }
}
