import Crypto
import CryptoExtras
import FoundationEssentials
import KeyDerivation
import SecretService
import TestSupport
import Testing

@testable import EncryptedFiles
@testable import SharedAuth
@testable import SharedAuthRecords

/// Tests the files of an encrypted-file store against checked-in ones, with either kind of key and in either format.
///
/// The records are also decrypted by code of this test alone, so a mistake that the store makes both in writing and in
/// reading is noticed.
struct GoldenFileStoreTests {
    /// A store whose files are checked in.
    enum Golden: String, CaseIterable {
        case keyFile = "file-store-key-file"
        case passphrase = "file-store-passphrase"
        /// The current format: the record contains its name. Otherwise as `keyFile`.
        case named = "file-store-named"

        /// The first bytes of its record.
        var prefix: String { self == .named ? "SharedAuthFile2." : "SharedAuthFile1." }

        /// The plaintext of its record: the revision, the name in the current format, and the payload.
        var plaintext: [UInt8] {
            let revision: [UInt8] = [1, 2, 3, 4, 5, 6, 7, 8, 0xFE, 0xDC, 0xBA, 0x98, 0x76, 0x54, 0x32, 0x10]
            let name = GoldenFileStoreTests.mailName
            return revision + (self == .named ? [0, 0, 0, UInt8(name.count)] + name : [])
                + GoldenFileStoreTests.record.payload
        }

        var scrypt: Scrypt? {
            guard self == .passphrase else { return nil }
            return Scrypt(cost: 10, blockSize: 8, parallelism: 1, salt: Data(repeating: 0x5A, count: 32))
        }

        /// The store's key: that of the key file, or the one derived from the passphrase.
        func key() throws -> SymmetricKey {
            switch self {
            case .keyFile, .named:
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

        /// Returns the key to open a store with, after writing its key file, if it is one.
        func makeKey(in place: FilePlace) throws -> FileStoreKey {
            if self == .passphrase { return .passphrase(Secret(Array(Self.words.utf8)), cost: 10) }
            try place.writeKey((0..<32).map { UInt8($0) }, to: place.keyFile)
            return .keyFile(place.keyFile)
        }

        private static let words = "correct horse battery staple"
    }

    private static let salt = Data((0..<32).map { UInt8(0xE0 &+ $0) })
    /// The name in the golden record: `RecordKey.mail`, encoded.
    fileprivate static let mailName = Array("app:com.example.Mail\np\ndefault\nuser".utf8)
    fileprivate static let record = Record(
        payload: Array("{\"payload\":\"of any kind\"}".utf8) + [0, 0xFF],
        revision: Revision(counter: 0x0102_0304_0506_0708, nonce: 0xFEDC_BA98_7654_3210)
    )

    private let place: FilePlace

    init() throws {
        place = try FilePlace()
    }

    private func recordFileName(of golden: Golden) throws -> String {
        let names = try FilePlace.names(in: GoldenBytes.path(golden.rawValue))
        return try #require(names.first { $0.hasSuffix(".record") })
    }

    /// Returns a store with a copy of the golden files.
    private func storeWithCopy(of golden: Golden) throws -> EncryptedFileRecordStore {
        try SmallFile.makeDirectory(place.directory)
        for name in [StoreHeader.name, try recordFileName(of: golden)] {
            try place.put(GoldenBytes.read("\(golden.rawValue)/\(name)"), at: "\(place.directory)/\(name)")
        }
        return place.store(key: try golden.makeKey(in: place))
    }

    @Test("The golden store opens with its key and holds the record it was written with", arguments: Golden.allCases)
    func reads(golden: Golden) throws {
        let store = try storeWithCopy(of: golden)
        guard case .whole(let record) = try store.read(.mail, by: .patient) else {
            Issue.record("no record")
            return
        }
        #expect(record == Self.record)
        #expect(try store.text(.other) == nil)
    }

    @Test("The same key and salts make the golden header", arguments: Golden.allCases)
    func writesHeader(golden: Golden) throws {
        let header = StoreHeader(scrypt: golden.scrypt, salt: Self.salt, key: try golden.key())
        try GoldenBytes.expect(header.encoded(), equalFile: "\(golden.rawValue)/\(StoreHeader.name)")
    }

    @Test("A new store has the file names and header members of the golden store", arguments: Golden.allCases)
    func writesStore(golden: Golden) throws {
        let store = place.store(key: try golden.makeKey(in: place))
        try store.put(String(decoding: Self.record.payload.dropLast(2), as: UTF8.self), .mail)
        #expect(try place.names() == [try recordFileName(of: golden), StoreHeader.name].sorted())
        // The salts, and the values derived from them, are random.
        let members = { (text: [UInt8]) in try JSONDecoder().decode([String: JSONValue].self, from: Data(text)) }
        let written = try members(place.bytes("\(place.directory)/\(StoreHeader.name)"))
        let expected = try members(GoldenBytes.read("\(golden.rawValue)/\(StoreHeader.name)"))
        #expect(written.keys.sorted() == expected.keys.sorted())
        #expect(written["version"] == expected["version"])
        for member in ["cost", "blockSize", "parallelism"] {
            #expect(written["scrypt"]?[member] == expected["scrypt"]?[member])
        }
    }

    @Test("Decrypted without the store's code, the golden record has the documented layout", arguments: Golden.allCases)
    func describesRecord(golden: Golden) throws {
        let text = try GoldenBytes.read("\(golden.rawValue)/\(recordFileName(of: golden))")
        let head = Array(golden.prefix.utf8) + Self.mailDigest
        #expect(text.starts(with: head))
        let box = try AES.GCM.SealedBox(combined: text.dropFirst(head.count))
        #expect(try AES.GCM.open(box, using: try recordKey(golden), authenticating: head) == Data(golden.plaintext))
    }

    @Test("A record is sealed in the golden format, with its name and a new nonce")
    func writesRecord() throws {
        let key = try recordKey(.named)
        let sealed = try RecordCipher(key: key).seal(Self.record, for: .mail)
        let golden = try GoldenBytes.read("\(Golden.named.rawValue)/\(recordFileName(of: .named))")
        let head = golden.prefix(32)
        #expect(sealed.count == golden.count && sealed.prefix(32) == head)
        #expect(sealed[32..<44] != golden[32..<44])
        let box = try AES.GCM.SealedBox(combined: sealed.dropFirst(32))
        #expect(try AES.GCM.open(box, using: key, authenticating: head) == Data(Golden.named.plaintext))
        // With the golden file's nonce, the result equals the golden file.
        let again = try AES.GCM.seal(
            Golden.named.plaintext,
            using: key,
            nonce: AES.GCM.Nonce(data: golden[32..<44]),
            authenticating: head
        )
        #expect(Array(head) + Array(try #require(again.combined)) == golden)
    }

    @Test("A version 1 record has no name until the next write adds it", arguments: Golden.allCases)
    func namesRecord(golden: Golden) throws {
        let cipher = RecordCipher(key: try recordKey(golden))
        let file = try GoldenBytes.read("\(golden.rawValue)/\(recordFileName(of: golden))")
        #expect(cipher.open(file, digest: Self.mailDigest).key == (golden == .named ? .mail : nil))
        let store = try storeWithCopy(of: golden)
        try store.put("x", .mail)
        let path = try #require(try place.records().first)
        #expect(try place.bytes(path).starts(with: Array(Golden.named.prefix.utf8)))
        #expect(try store.text(.mail) == "x")
    }

    @Test("A version 1 file is listed without its app until asked for by app or rewritten")
    func listsUnnamed() throws {
        let deadline = Deadline.patient
        let store = try storeWithCopy(of: .keyFile)
        let path = try #require(try place.records().first)
        let listed = try store.listRecords(ofProject: "p", instance: "default", kind: "user", by: deadline)
        #expect(listed.map(\.key) == [nil])
        #expect(listed.first?.stored.revision == Self.record.revision)
        #expect(try listed.first?.size == place.bytes(path).count && listed.first?.modified != nil)
        // Without a name, the kind is unknown. This payload is not a user record, so it is not listed as a slot.
        let inspection = try ProjectInspection(project: "p", store: store)
        #expect(try inspection.slots(by: deadline).isEmpty)

        let head = Array("SharedAuthFile1.".utf8) + Self.mailDigest
        let tokens = UserTokens(idToken: "t", refreshToken: "r", expirationDate: Date(timeIntervalSince1970: 0))
        let account = Account(profile: UserProfile(uid: "x"), tokens: tokens, project: "p")
        let payload = try UserRecord().signingIn(account).encoded()
        let plain = Golden.keyFile.plaintext.prefix(16) + payload
        let box = try AES.GCM.seal(plain, using: recordKey(.keyFile), authenticating: head)
        try place.put(head + (try #require(box.combined)), at: path)
        func owners(_ project: String = "p", of asked: [ListedSlot.Owner]? = nil) throws -> [ListedSlot.Owner] {
            try ProjectInspection(project: project, store: store).slots(of: asked, by: deadline).map(\.owner)
        }
        let name = RecordKey.mail.fileName
        #expect(try owners() == [.unnamed(name)])
        #expect(try owners("q").isEmpty)
        #expect(try owners(of: [.group("group.example.office")]).isEmpty)
        #expect(
            try owners(of: [.group("group.example.office"), .app("com.example.Mail")]) == [.app("com.example.Mail")]
        )
        guard case .accounts(let record) = try inspection.slots(by: deadline).first?.content else {
            Issue.record("no accounts")
            return
        }
        #expect(record.currentAccount?.uid == "x")
        try store.update(.mail, by: deadline) { _ in .write(payload) }
        #expect(try owners() == [.app("com.example.Mail")])
    }

    private func recordKey(_ golden: Golden) throws -> SymmetricKey {
        HKDF<SHA256>.deriveKey(
            inputKeyMaterial: try golden.key(),
            salt: Self.salt,
            info: Array("SharedAuth store 1 records".utf8),
            outputByteCount: 32
        )
    }

    /// The digest of `mailName` that precedes the sealed part of a record.
    private static let mailDigest: [UInt8] = Array(SHA256.hash(data: mailName).prefix(16))
}
