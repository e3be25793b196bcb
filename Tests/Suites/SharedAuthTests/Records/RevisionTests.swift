import FoundationEssentials
import SecretService
import Synchronization
import TestSupport
import Testing

@testable import EncryptedFiles
@testable import SharedAuth
@testable import SharedAuthRecords

/// The order in which two copies of a record were written.
struct RevisionTests {
    /// Revisions by a clock that a test sets, with the nonces 1, 2, 3 and so on.
    private final class Revisions: Sendable {
        let clock = TestClock(Date(timeIntervalSince1970: 1_800_000_000))
        private let nonces = Mutex<UInt64>(0)

        var source: RevisionSource {
            RevisionSource(
                now: { [clock] in clock.now },
                random: { [self] in
                    nonces.withLock { nonce in
                        nonce += 1
                        return nonce
                    }
                }
            )
        }
    }

    @Test("The first write counts from the milliseconds since 1970; each later one adds one")
    func counting() {
        let revisions = Revisions()
        let first = revisions.source.revision(after: nil)
        #expect(first.counter == 1_800_000_000_000)
        revisions.clock.now = Date(timeIntervalSince1970: 1_900_000_000)
        let second = revisions.source.revision(after: first)
        #expect(second.counter == 1_800_000_000_001)
        #expect(second.isLater(than: first) && !first.isLater(than: second) && first.nonce != second.nonce)
        // The counter of a record that an earlier version of the library wrote continues from its value.
        #expect(revisions.source.revision(after: Revision(counter: 57, nonce: 1)).counter == 58)
    }

    @Test("After a deletion, the next record is later even if the clock was set back")
    func clockSetBack() {
        let revisions = Revisions()
        let source = revisions.source
        let deleted = source.revision(after: source.revision(after: nil))
        source.noteDeleted(deleted)
        revisions.clock.now = Date(timeIntervalSince1970: 1_700_000_000)
        let next = source.revision(after: nil)
        #expect(next.isLater(than: deleted))
        #expect(source.revision(after: next).counter == next.counter + 1)
        revisions.clock.now = Date(timeIntervalSince1970: 1_900_000_000)
        #expect(source.revision(after: nil).counter == 1_900_000_000_000)
    }

    @Test(
        "Before 1970, or without a valid time, the counter starts at one",
        arguments: [
            -1, 0, .nan, .infinity, -.infinity, 1e300,
        ]
    )
    func noTime(_ seconds: Double) {
        let revisions = Revisions()
        revisions.clock.now = Date(timeIntervalSince1970: seconds)
        #expect(revisions.source.revision(after: nil).counter == 1)
    }

    @Test("The later write of two copies wins, also across a deletion", arguments: ["memory", "files"])
    func acrossDeletion(kind: String) throws {
        let place = try FilePlace()
        let revisions = Revisions()
        let store: any RecordStore =
            kind == "memory"
            ? InMemoryRecordStore(revisions: revisions.source)
            : EncryptedFileRecordStore(
                directory: place.directory,
                key: .keyFile(place.keyFile),
                revisions: revisions.source
            )
        for number in 0..<60 { try store.put("\(number)", .mail) }
        let old = try #require(try store.read(.mail, by: .patient).revision)
        try store.update(.mail, by: .patient) { _ in .delete }
        revisions.clock.now = Date(timeIntervalSince1970: 1_800_000_001)
        try store.put("again", .mail)
        let new = try #require(try store.read(.mail, by: .patient).revision)
        #expect(new.isLater(than: old))
    }

    @Test("A counter of 2^63 or more is damage and is never written")
    func overflow() throws {
        let revisions = Revisions()
        let last = Revision(counter: UInt64(Int64.max), nonce: 1)
        #expect(last.isPlausible)
        #expect(revisions.source.revision(after: last).isPlausible)
        let place = try FilePlace()
        let cipher = try FileStoreKey.keyFile(place.keyFile).makeHeader(by: .patient).cipher
        for (counter, isWhole) in [(last.counter, true), (last.counter + 1, false), (.max, false)] {
            let record = Record(payload: [1], revision: Revision(counter: counter, nonce: 1))
            let opened = try? Envelope.open(Array(Envelope.seal(record, for: .mail).utf8), for: .mail)
            #expect((opened == record) == isWhole)
            let stored = try cipher.open(cipher.seal(record, for: .mail), for: .mail)
            if case .whole = stored { #expect(isWhole) } else { #expect(!isWhole, "\(stored)") }
        }
    }
}
