import FoundationEssentials
import Glibc
import SecretService
import TestSupport
import Testing

@testable import EncryptedFiles
@testable import SharedAuth
@testable import SharedAuthRecords

/// Lists of all records of a kind, in encrypted files and in memory.
struct FileListingTests {
    private func list(_ store: any RecordStore) throws -> [ListedRecord] {
        try store.listRecords(ofProject: "p", instance: "default", kind: "user", by: .patient)
    }

    private static let others = [
        RecordKey(scope: .group("group.example.office"), project: "q", instance: "default", kind: "user"),
        RecordKey(scope: .group("group.example.office"), project: "p", instance: "other", kind: "user"),
        RecordKey(scope: .group("group.example.office"), project: "p", instance: "default", kind: "pass"),
    ]

    @Test("Slots are listed by name, size and time, without other projects, apps or kinds")
    func everything() throws {
        let place = try FilePlace()
        #expect(try list(place.store()).isEmpty)
        let since = Date().addingTimeInterval(-2)
        let office = RecordKey(scope: .group("group.example.office"), project: "p", instance: "default", kind: "user")
        for key in [.mail, .other, office] + Self.others { try place.store().put("x", key) }
        let listed = try list(place.store())
        #expect(Set(listed.map(\.key)) == [.mail, .other, office])
        for record in listed {
            let key = try #require(record.key)
            guard case .whole(let found) = record.stored else { Issue.record("\(record.stored)"); continue }
            #expect(found.payload == Array("x".utf8))
            #expect(try record.size == place.bytes("\(place.directory)/\(key.fileName)").count)
            #expect(try #require(record.modified) >= since)
            #expect(record.isRecord(of: key) && !record.isRecord(of: Self.others[0]))
        }
    }

    @Test("The in-memory store lists by name too, including damaged records")
    func memory() throws {
        let store = InMemoryRecordStore()
        for key in [.mail] + Self.others { try store.put("xyz", key) }
        store.put(.damaged("so"), under: .other)
        let listed = try list(store)
        #expect(Set(listed.map(\.key)) == [.mail, .other])
        #expect(listed.first { $0.key == .mail }?.size == 3)
        guard case .damaged("so") = listed.first(where: { $0.key == .other })?.stored else {
            Issue.record("not damaged")
            return
        }
    }

    @Test("A file that cannot be opened has no name, hides no other, and matches its record")
    func damaged() throws {
        let place = try FilePlace()
        let store = place.store()
        for key in [RecordKey.mail, .other] { try store.put("x", key) }
        let path = "\(place.directory)/\(RecordKey.mail.fileName)"
        for obstacle in Obstacle.allCases {
            try obstacle.put(at: path)
            let listed = try list(store)
            #expect(Set(listed.map(\.key)) == [.other, nil])
            let unnamed = try #require(listed.first { $0.key == nil })
            switch unnamed.stored {
            case .damaged, .empty: break
            default: Issue.record("\(obstacle): \(unnamed.stored)"); continue
            }
            #expect(unnamed.isRecord(of: .mail) && !unnamed.isRecord(of: .other))
            #expect(unnamed.modified != nil)
            _ = unsafe obstacle == .directory ? rmdir(path) : unlink(path)
        }
        try place.put(Array("SharedAuthFile9.whatever".utf8), at: path)
        guard case .newer = try list(store).first(where: { $0.key == nil })?.stored else {
            Issue.record("not newer")
            return
        }
        // A file that others can read is not opened, and hides no other either.
        unsafe chmod(path, 0o644)
        #expect(try list(store).count == 2)
    }

    @Test("A file set aside is listed with its record or alone, by name if it can be opened")
    func setAside() throws {
        let place = try FilePlace()
        let store = place.store()
        let deadline = Deadline.patient
        // The store can open these bytes, but their owner cannot read them.
        try store.put("unreadable", .mail)
        try store.update(.mail, by: deadline) { _ in .removeDamaged }
        let alone = try #require(try list(store).first)
        guard case .none = alone.stored else { Issue.record("\(alone.stored)"); return }
        #expect(alone.key == .mail && alone.setAside.count == 1 && alone.size == 0 && alone.modified == nil)

        let path = "\(place.directory)/\(RecordKey.mail.fileName)"
        try place.put(Array("garbage".utf8), at: path)
        #expect(try list(store).map(\.key) == [.mail])
        try store.update(.mail, by: deadline) { _ in .replaceDamaged([1]) }
        let listed = try list(store)
        #expect(listed.map(\.key) == [.mail])
        #expect(listed.map(\.setAside.count) == [2])
    }

    @Test("A missing store, a missing key and another store's key make listing fail")
    func unusable() throws {
        let place = try FilePlace()
        let store = place.store()
        try store.put("x", .mail)
        unsafe rename(place.directory, place.directory + "-away")
        #expect(failure { try list(store) }?.code == .unavailable)
        unsafe rename(place.directory + "-away", place.directory)
        #expect(try list(store).count == 1)
        try place.writeKey((0..<32).map { _ in .random(in: 0...255) }, to: place.keyFile)
        #expect(failure { try list(place.store()) }?.code == .denied)
        unsafe unlink(place.keyFile)
        #expect(failure { try list(place.store()) }?.code == .unavailable)
    }
}
