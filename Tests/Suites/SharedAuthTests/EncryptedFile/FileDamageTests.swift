import Crypto
import FoundationEssentials
import Glibc
import SecretService
import TestSupport
import Testing

@testable import EncryptedFiles
@testable import SharedAuth
@testable import SharedAuthRecords

/// Store files that something else has changed.
struct FileDamageTests {
    let place: FilePlace
    let path: String

    init() throws {
        place = try FilePlace()
        try place.store().put("x", .mail)
        path = try #require(try place.records().first)
    }

    @Test("Every changed, missing or added byte is noticed")
    func everyByte() throws {
        let whole = try place.bytes(path)
        let store = place.store()
        var broken: [[UInt8]] = [whole + [0], []]
        for index in whole.indices {
            var changed = whole
            changed[index] ^= 1 << UInt8(index % 8)
            broken += [changed, Array(whole.prefix(index))]
        }
        for bytes in broken {
            try place.put(bytes, at: path)
            let text = try store.text(.mail)
            #expect(text?.hasPrefix("damaged: ") == true || text?.hasPrefix("newer: ") == true, "\(text ?? "none")")
        }
        try place.put(whole, at: path)
        #expect(try store.text(.mail) == "x")
    }

    @Test("A file of another slot or another store is reported as damaged, with the reason")
    func swapped() throws {
        try place.store().put("y", .other)
        let theirs = try #require(try place.records().first { $0 != path })
        try place.put(try place.bytes(theirs), at: path)
        #expect(try place.store().text(.mail) == "damaged: it is the record of another slot")
        #expect(try place.store().text(.other) == "y")
        let elsewhere = try FilePlace()
        try elsewhere.store().put("z", .mail)
        try place.put(try elsewhere.bytes(try #require(try elsewhere.records().first)), at: path)
        #expect(try place.store().text(.mail)?.contains("another store") == true)
    }

    @Test("A head changed with its file does not deceive, because the digest is sealed")
    func digestIsSealed() throws {
        try place.store().put("y", .other)
        let theirs = try #require(try place.records().first { $0 != path })
        let head = try place.bytes(path).prefix(32)
        try place.put(Array(head) + Array(try place.bytes(theirs).dropFirst(32)), at: path)
        #expect(try place.store().text(.mail)?.hasPrefix("damaged: its seal is broken") == true)
    }

    @Test("A sealed name that differs from the file's is damage, whatever the head says")
    func otherName() throws {
        let key = SymmetricKey(size: .bits256)
        let cipher = RecordCipher(key: key)
        let theirs = try cipher.seal(Record(payload: [1], revision: Revision(counter: 1, nonce: 2)), for: .other)
        #expect(cipher.open(theirs, digest: RecordKey.other.digest).key == .other)
        // Only the owner of the key can seal another name under a head.
        let sealed = try AES.GCM.SealedBox(combined: theirs.dropFirst(32))
        let plain = try AES.GCM.open(sealed, using: key, authenticating: theirs.prefix(32))
        let head = Array("SharedAuthFile2.".utf8) + RecordKey.mail.digest
        let forged = head + (try #require(AES.GCM.seal(plain, using: key, authenticating: head).combined))
        for file in [theirs, forged] {
            guard case .damaged(let reason) = cipher.open(file, for: .mail) else {
                Issue.record("opened under another name")
                continue
            }
            #expect(reason == "it is the record of another slot")
        }
    }

    @Test("A changed version number is damage, to the other version and to any higher one")
    func versions() throws {
        let key = SymmetricKey(size: .bits256)
        let cipher = RecordCipher(key: key)
        let named = try cipher.seal(Record(payload: [1], revision: Revision(counter: 1, nonce: 2)), for: .mail)
        let head = Array("SharedAuthFile1.".utf8) + RecordKey.mail.digest
        let plain = [UInt8](repeating: 0, count: 7) + [1] + [UInt8](repeating: 0, count: 7) + [2, 1]
        let unnamed = head + (try #require(AES.GCM.seal(plain, using: key, authenticating: head).combined))
        for (file, number) in [(named, 2), (unnamed, 1)] {
            guard case .whole(let record) = cipher.open(file, for: .mail) else { Issue.record("\(number)"); continue }
            #expect(record.payload == [1])
            for other in [0, 1, 2, 3, 9, 12] where other != number {
                let changed = Array("SharedAuthFile\(other).".utf8) + file.dropFirst(16)
                guard case .damaged = cipher.open(changed, for: .mail) else {
                    Issue.record("\(number) as \(other)")
                    continue
                }
            }
        }
    }

    @Test("A file of a newer format is reported as newer and never overwritten")
    func newer() throws {
        let text = Array("SharedAuthFile3.whatever".utf8)
        try place.put(text, at: path)
        #expect(try place.store().text(.mail) == "newer: its file is of version 3")
        #expect(failure { try place.store().put("y", .mail) }?.code == .newerVersion)
        #expect(try place.bytes(path) == text)
    }

    @Test(
        "Damage is overwritten only on request, and then set aside",
        arguments: Obstacle.allCases.filter { $0 != .empty }
    )
    func setAside(obstacle: Obstacle) throws {
        try obstacle.put(at: path)
        let store = place.store()
        #expect(try store.text(.mail)?.hasPrefix("damaged: ") == true)
        #expect(failure { try store.put("y", .mail) }?.code == .damaged)
        #expect(failure { try store.update(.mail, by: .patient) { _ in .delete } }?.code == .damaged)
        #expect(obstacle.stands(at: path))
        try store.update(.mail, by: .patient) { _ in .replaceDamaged(Array("y".utf8)) }
        #expect(try store.text(.mail) == "y")
        try expectSetAside(obstacle, 1)

        unsafe unlink(path)
        try obstacle.put(at: path)
        try store.update(.mail, by: .patient) { _ in .removeDamaged }
        #expect(try store.text(.mail) == nil)
        try expectSetAside(obstacle, 2)
    }

    private func expectSetAside(_ obstacle: Obstacle, _ count: Int) throws {
        let aside = try place.names().filter { $0.contains(".set-aside-") }
        #expect(aside.count == count)
        #expect(aside.allSatisfy { obstacle.stands(at: "\(place.directory)/\($0)") })
        #expect(try place.names().allSatisfy { !$0.hasSuffix(".new") })
    }

    @Test(
        "A record or directory that others can read is refused with the command to fix it",
        arguments: [0o640, 0o644, 0o606]
    )
    func tooOpen(mode: mode_t) throws {
        unsafe chmod(path, mode)
        let error = try #require(failure { try place.store().text(.mail) })
        #expect(error.code == .denied)
        #expect(error.remedy == "Run: chmod 600 \(path)")
        #expect(failure { try place.store().put("y", .mail) }?.code == .denied)
        unsafe chmod(path, 0o600)
        unsafe chmod(place.directory, mode | 0o100)
        let refused = try #require(failure { try place.store().text(.mail) })
        #expect(refused.code == .denied)
        #expect(refused.remedy == "Run: chmod 700 \(place.directory)")
        #expect(failure { try place.store().put("y", .mail) }?.code == .denied)
        #expect(failure { _ = try place.store().watch(.mail, by: .patient) { _ in } }?.code == .denied)
        unsafe chmod(place.directory, 0o700)
        #expect(try place.store().text(.mail) == "x")
    }

    @Test("Another user's directory is refused", .enabled(if: geteuid() == 0))
    func foreignDirectory() throws {
        unsafe chown(place.directory, 12_345, 12_345)
        #expect(failure { try place.store().text(.mail) }?.message.contains("user 12345") == true)
    }

    @Test("A missing or invalid header beside records is damage, never an empty store")
    func header() throws {
        let header = "\(place.directory)/\(StoreHeader.name)"
        let text = try place.bytes(header)
        unsafe unlink(header)
        #expect(failure { try place.store().text(.mail) }?.code == .damaged)
        #expect(failure { try place.store().put("y", .other) }?.code == .damaged)
        try Obstacle.directory.put(at: header)
        #expect(failure { try place.store().text(.mail) }?.code == .damaged)
        unsafe rmdir(header)
        try place.put(Array(#"{"version":2}"#.utf8), at: header)
        #expect(failure { try place.store().text(.mail) }?.code == .newerVersion)
        try place.put(text, at: header)
        #expect(try place.store().text(.mail) == "x")
    }

    @Test("A store that disappears is unavailable, and available when it is put back")
    func gone() throws {
        let store = place.store()
        #expect(try store.text(.mail) == "x")
        unsafe rename(place.directory, place.directory + "-away")
        #expect(failure { try store.text(.mail) }?.code == .unavailable)
        #expect(failure { try store.put("y", .mail) }?.code == .unavailable)
        // A process that starts now finds a directory where nothing was ever stored.
        #expect(try place.store().text(.mail) == nil)
        unsafe rename(place.directory + "-away", place.directory)
        #expect(try store.text(.mail) == "x")
    }

    @Test("A store that another thread creates during a look does not count as gone")
    func createdDuringALook() throws {
        let empty = try FilePlace()
        defer { withExtendedLifetime(empty) {} }
        let store = empty.store()
        let overtaken = try store.opened.find { () throws(RecordStoreError) -> Bool? in
            try store.put("x", .mail)
            return nil
        }
        #expect(overtaken == nil)
        let gone = failure { try store.opened.find { () throws(RecordStoreError) -> Bool? in nil } }
        #expect(gone?.code == .unavailable)
    }
}

/// Objects that can take a file's place.
enum Obstacle: CaseIterable {
    case garbage
    case empty
    case directory
    case link
    case pipe

    func put(at path: String) throws {
        unsafe unlink(path)
        switch self {
        case .garbage: try Data("garbage".utf8).write(to: URL(filePath: path))
        case .empty: try Data().write(to: URL(filePath: path))
        case .directory: unsafe mkdir(path, 0o700)
        case .link: unsafe symlink("/etc/hostname", path)
        case .pipe: unsafe mkfifo(path, 0o600)
        }
        if self == .garbage || self == .empty { unsafe chmod(path, 0o600) }
    }

    func stands(at path: String) -> Bool {
        var status = stat()
        guard unsafe lstat(path, &status) == 0 else { return false }
        let kind = status.st_mode & S_IFMT
        return switch self {
        case .garbage: kind == S_IFREG && status.st_size == 7
        case .empty: kind == S_IFREG && status.st_size == 0
        case .directory: kind == S_IFDIR
        case .link: kind == S_IFLNK
        case .pipe: kind == S_IFIFO
        }
    }
}
