import FoundationEssentials
import SecretService
import Synchronization
import TestSupport
import Testing

@testable import SharedAuth
@testable import SharedAuthRecords

/// Which of two copies of a record was written later.
struct RevisionTests {
    /// A clock that a test sets.
    private final class Clock: Sendable {
        private let seconds = Mutex(1_800_000_000.0)
        private let numbers = Mutex<UInt64>(0)

        func set(_ value: Double) { seconds.withLock { $0 = value } }

        var source: RevisionSource {
            RevisionSource(
                now: { [self] in Date(timeIntervalSince1970: seconds.withLock { $0 }) },
                random: { [self] in
                    numbers.withLock { number in
                        number += 1
                        return number
                    }
                }
            )
        }
    }

    @Test("The first write counts from the milliseconds since 1970, every other one adds one")
    func counting() {
        let clock = Clock()
        let first = clock.source.revision(after: nil)
        #expect(first.counter == 1_800_000_000_000)
        clock.set(1_900_000_000)
        let second = clock.source.revision(after: first)
        #expect(second.counter == 1_800_000_000_001)
        #expect(second.isLater(than: first) && !first.isLater(than: second) && first.nonce != second.nonce)
        // What an earlier version of the library has written counts on from there.
        #expect(clock.source.revision(after: Revision(counter: 57, nonce: 1)).counter == 58)
    }

    @Test(
        "Before 1970, and where a clock tells no time, it counts from one",
        arguments: [
            -1, 0, .nan, .infinity, -.infinity, 1e300,
        ]
    )
    func noTime(_ seconds: Double) {
        let clock = Clock()
        clock.set(seconds)
        #expect(clock.source.revision(after: nil).counter == 1)
    }

    @Test("Of two copies the later write wins, also across a deletion", arguments: ["memory", "files"])
    func acrossDeletion(kind: String) throws {
        let place = try FilePlace()
        let clock = Clock()
        let store: any RecordStore =
            kind == "memory"
            ? InMemoryRecordStore(revisions: clock.source)
            : EncryptedFileRecordStore(
                directory: place.directory,
                key: .keyFile(place.keyFile),
                revisions: clock.source
            )
        for number in 0..<60 { try store.put("\(number)", .mail) }
        let old = try #require(try store.read(.mail, by: .patient).revision)
        try store.update(.mail, by: .patient) { _ in .delete }
        clock.set(1_800_000_001)
        try store.put("again", .mail)
        let new = try #require(try store.read(.mail, by: .patient).revision)
        #expect(new.isLater(than: old))
    }

    @Test("A counter of two to the power of 63 or more is damage, and none is ever written")
    func overflow() throws {
        let clock = Clock()
        let last = Revision(counter: UInt64(Int64.max), nonce: 1)
        #expect(last.isPlausible)
        #expect(clock.source.revision(after: last).isPlausible)
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
