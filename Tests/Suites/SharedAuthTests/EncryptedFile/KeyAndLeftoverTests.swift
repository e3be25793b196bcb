import FoundationEssentials
import Glibc
import SecretService
import TestSupport
import Testing

@testable import EncryptedFiles
@testable import SharedAuth
@testable import SharedAuthRecords

/// A file store without its key, and with files that dead processes left.
struct KeyAndLeftoverTests {
    @Test(
        "Without its key file every call fails with the file's name, and nothing is made",
        arguments: [
            true, false,
        ]
    )
    func noKey(isStored: Bool) throws {
        let place = try FilePlace()
        if isStored { try place.store().put("x", .mail) }
        unsafe unlink(place.keyFile)
        let before = isStored ? try place.names() : []
        let deadline = Deadline.patient
        let verbs: [(EncryptedFileRecordStore) throws -> Void] = [
            { _ = try $0.read(.mail, by: deadline) },
            { _ = try $0.update(.mail, by: deadline) { _ in .keep } },
            { _ = try $0.update(.mail, by: deadline) { _ in .write([1]) } },
            { _ = try $0.acquire("refresh", for: .mail, by: deadline) },
            { _ = try $0.watch(.mail, by: deadline) { _ in } },
        ]
        for verb in verbs {
            let error = try #require(failure { try verb(place.store()) })
            #expect(error.code == .unavailable)
            #expect(error.message.contains(place.keyFile) && error.remedy != nil)
        }
        #expect(FileManager.default.fileExists(atPath: place.directory) == isStored)
        if isStored { #expect(try place.names() == before) }
    }

    @Test("An open store keeps working without its key file")
    func open() throws {
        let place = try FilePlace()
        let store = place.store()
        try store.put("x", .mail)
        unsafe unlink(place.keyFile)
        #expect(try store.text(.mail) == "x")
        try store.put("y", .mail)
        #expect(try store.text(.mail) == "y")
    }

    @Test("A change removes all partial files of dead processes, but not those in use")
    func leftovers() throws {
        let place = try FilePlace()
        try place.store().put("x", .mail)
        try place.store().put("y", .other)
        let records = try place.records()
        let names = records.map { "\($0).new" } + ["\(place.directory)/\(StoreHeader.name).new"]
        for name in names { try place.put(Array("half".utf8), at: name) }
        try place.put(Array("mine".utf8), at: "\(place.directory)/somebody.new")
        let writer = place.store()
        let lock = try writer.acquire("lock", for: .other, by: .patient)
        try place.store().put("z", .mail)
        // Another store holds the lock of `other`, as during a write.
        #expect(try place.names().filter { $0.hasSuffix(".record.new") }.count == 1)
        lock.release()
        try place.store().put("z", .mail)
        #expect(try place.names().filter { $0.hasSuffix(".new") } == ["somebody.new"])
        #expect(try place.store().text(.other) == "y")
    }

    @Test("At most eight damaged files are kept, the newest, and they can be listed")
    func eight() throws {
        let place = try FilePlace()
        let store = place.store()
        try store.put("x", .mail)
        let path = try #require(try place.records().first)
        for number in 0..<10 {
            try place.put(Array("garbage \(number)".utf8), at: path)
            try store.update(.mail, by: .patient) { _ in .replaceDamaged([1]) }
        }
        let listed = try store.setAsideRecords(of: .mail, by: .patient)
        #expect(listed.count == 8 && listed.allSatisfy { $0.date != nil })
        let left = try listed.map { String(decoding: try place.bytes("\(place.directory)/\($0.place)"), as: UTF8.self) }
        #expect(Set(left) == Set((2..<10).map { "garbage \($0)" }))
        #expect(try place.names().count { $0.contains(".set-aside-") } == 8)
        #expect(try store.setAsideRecords(of: .other, by: .patient).isEmpty)
    }

    @Test("Records that earlier versions set aside sort before those that have a time")
    func earlierNumbers() throws {
        let source = RevisionSource.live
        let old = try #require(SetAsideRecord(number: "fedcba9876543210", place: "old", source))
        let new = try #require(
            SetAsideRecord(number: String(SetAsideRecord.number(source), radix: 16), place: "new", source)
        )
        let early = try #require(SetAsideRecord(number: "1a2b3c4d", place: "early", source))
        #expect(old.date == nil && early.date == nil)
        #expect(try abs(#require(new.date).timeIntervalSinceNow) < 60)
        #expect(SetAsideRecord.sorted([new, old, early]) == [early, old, new])
    }

    @Test("A record set aside has the time as its number, to the microsecond")
    func numbers() throws {
        let now = Date(timeIntervalSince1970: 1_800_000_000.123456)
        let source = RevisionSource(now: { now }, random: { .max })
        let number = SetAsideRecord.number(source)
        #expect(number == 1_800_000_000_123 << 16 | 456 << 6 | 0x3F)
        let record = try #require(SetAsideRecord(number: String(number, radix: 16), place: "x", source))
        #expect(record.date == Date(timeIntervalSince1970: 1_800_000_000.123))
        #expect(SetAsideRecord.number(source) == number + 1)
        // A clock that was never set causes no trap, and gives no time.
        let unset = RevisionSource(now: { Date(timeIntervalSince1970: 5) }, random: { 0 })
        let early = try #require(
            SetAsideRecord(number: String(SetAsideRecord.number(unset), radix: 16), place: "x", unset)
        )
        #expect(early.date == nil)
        #expect(SetAsideRecord(number: "no number", place: "x", source) == nil)
    }
}

/// Formats that claim to be newer.
struct NewerFormatTests {
    @Test("A higher version number over a body of this version is damage")
    func changedVersion() throws {
        let record = Record(payload: Array("x".utf8), revision: Revision(counter: 1, nonce: 2))
        let sealed = Array(Envelope.seal(record, for: .mail).utf8)
        let changed = Array("SharedAuth2.".utf8) + sealed.dropFirst("SharedAuth1.".utf8.count)
        #expect(throws: Envelope.Flaw.damaged("the number of its version was changed")) {
            try Envelope.open(changed, for: .mail)
        }
        let place = try FilePlace()
        let cipher = try FileStoreKey.keyFile(place.keyFile).makeHeader(by: .patient).cipher
        let file = try cipher.seal(record, for: .mail)
        let prefix = "SharedAuthFile1.".utf8.count
        guard case .damaged = cipher.open(Array("SharedAuthFile9.".utf8) + file.dropFirst(prefix), for: .mail) else {
            Issue.record("a newer file")
            return
        }
        guard case .newer = cipher.open(Array("SharedAuthFile9.".utf8) + file.reversed(), for: .mail) else {
            Issue.record("not a newer file")
            return
        }
    }

    @Test("A higher version number in a store header of this version is damage")
    func changedHeader() throws {
        let place = try FilePlace()
        try place.store().put("x", .mail)
        let path = "\(place.directory)/\(StoreHeader.name)"
        let text = String(decoding: try place.bytes(path), as: UTF8.self)
        let changed = text.replacing("\"version\":1", with: "\"version\":2")
        #expect(changed != text)
        try place.put(Array(changed.utf8), at: path)
        #expect(failure { try place.store().text(.mail) }?.code == .damaged)
    }

    @Test(
        "An empty file holds nothing: every change overwrites it and leaves no copy",
        arguments: [
            RecordChange.write([1]), .replaceDamaged([1]), .delete, .removeDamaged,
        ]
    )
    func empty(_ change: RecordChange) throws {
        let place = try FilePlace()
        let store = place.store()
        try store.put("x", .mail)
        try place.put([], at: try #require(try place.records().first))
        let stored = try store.read(.mail, by: .patient)
        guard case .empty = stored else { Issue.record("\(stored)"); return }
        let after = try store.update(.mail, by: .patient) { _ in change }
        if case .whole(let record) = after {
            #expect(record.payload == change.payload)
        } else {
            #expect(change.payload == nil)
        }
        #expect(try place.names().count { $0.contains(".set-aside-") } == 0)
        #expect(try place.records().count == (change.payload == nil ? 0 : 1))
    }
}
