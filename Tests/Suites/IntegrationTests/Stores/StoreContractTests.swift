import SecretService
import Synchronization
import TestSupport
import Testing

@testable import SharedAuth

/// Tests the contract of every store.
struct StoreContractTests {
    @Test(
        "A key is empty until a record is written, which the other process then reads",
        arguments: StoreUnderTest.allCases
    )
    func writing(store: StoreUnderTest) throws {
        let pair = try store.pair()
        #expect(try pair.one.record(pair.key) == nil)
        #expect(try pair.one.change(pair.key, .keep) == nil)
        let written = try #require(try pair.one.change(pair.key, .write(Array("x".utf8))))
        #expect(try pair.one.record(pair.key) == written)
        #expect(try pair.two.record(pair.key) == written)
        let second = try #require(try pair.two.change(pair.key, .write(Array("y".utf8))))
        #expect(
            second.revision.counter == written.revision.counter + 1 && second.revision.nonce != written.revision.nonce
        )
        #expect(try pair.one.change(pair.key, .keep) == second)
        #expect(try pair.one.record(pair.key) == second)
    }

    @Test("Any bytes are read back unchanged", arguments: StoreUnderTest.allCases)
    func payloads(store: StoreUnderTest) throws {
        let pair = try store.pair()
        for payload in [[], [0], Array(0...255), Array(repeating: UInt8(ascii: "{"), count: 60_000)] {
            try pair.one.change(pair.key, .write(payload))
            #expect(try pair.two.record(pair.key)?.payload == payload)
        }
    }

    @Test("Keys that differ in one part name different records", arguments: StoreUnderTest.allCases)
    func keys(store: StoreUnderTest) throws {
        let pair = try store.pair()
        for key in pair.otherKeys { try pair.one.change(key, .write(Array("other".utf8))) }
        #expect(try pair.two.record(pair.key) == nil)
        try pair.one.change(pair.key, .write(Array("x".utf8)))
        for key in pair.otherKeys { #expect(try pair.two.record(key)?.payload == Array("other".utf8)) }
        for key in pair.otherKeys { try pair.one.change(key, .delete) }
        #expect(try pair.two.record(pair.key)?.payload == Array("x".utf8))
    }

    @Test(
        "A deleted record is gone for all processes, and its revision is never reused",
        arguments: StoreUnderTest.allCases
    )
    func deleting(store: StoreUnderTest) throws {
        let pair = try store.pair()
        var seen: Set<Revision> = []
        for _ in 1...3 {
            let record = try #require(try pair.one.change(pair.key, .write(Array("x".utf8))))
            #expect(seen.insert(record.revision).inserted)
            #expect(try pair.two.record(pair.key) == record)
            #expect(try pair.two.change(pair.key, .delete) == nil)
            #expect(try pair.one.record(pair.key) == nil)
            // Deleting again is no error.
            #expect(try pair.one.change(pair.key, .delete) == nil)
        }
    }

    @Test("A record its owner cannot read is set aside, with or without a new one", arguments: StoreUnderTest.allCases)
    func settingAside(store: StoreUnderTest) throws {
        let pair = try store.pair()
        try pair.one.change(pair.key, .write(Array("unreadable".utf8)))
        let new = try #require(try pair.one.change(pair.key, .replaceDamaged(Array("x".utf8))))
        #expect(new.payload == Array("x".utf8))
        #expect(try pair.two.record(pair.key) == new)
        #expect(try pair.two.change(pair.key, .removeDamaged) == nil)
        #expect(try pair.one.record(pair.key) == nil)
    }

    @Test("An update that expects an old revision finds the new one and keeps it", arguments: StoreUnderTest.allCases)
    func comparing(store: StoreUnderTest) throws {
        let pair = try store.pair()
        func swap(_ revision: Revision?, _ text: String) throws -> Record? {
            var isExpected = false
            let stored = try pair.one.update(pair.key, by: .patient) { stored in
                isExpected = stored.revision == revision
                return isExpected ? .write(Array(text.utf8)) : .keep
            }
            guard isExpected, case .whole(let record) = stored else { return nil }
            return record
        }
        let first = try #require(try swap(nil, "a"))
        #expect(try swap(nil, "b") == nil)
        let second = try #require(try swap(first.revision, "b"))
        #expect(try swap(first.revision, "c") == nil)
        #expect(try pair.two.record(pair.key) == second)
    }

    @Test("Threads that increment one number lose no increment", arguments: StoreUnderTest.allCases)
    func counting(store: StoreUnderTest) async throws {
        let pair = try store.pair()
        await withTaskGroup(of: Void.self) { group in
            for thread in 0..<6 {
                group.addTask {
                    for _ in 0..<10 {
                        do throws(RecordStoreError) {
                            let view = thread.isMultiple(of: 2) ? pair.one : pair.two
                            try view.update(pair.key, by: .patient) { stored in
                                guard case .whole(let record) = stored else { return .write([1]) }
                                return .write([record.payload[0] + 1])
                            }
                        } catch {
                            Issue.record(error)
                        }
                    }
                }
            }
        }
        #expect(try pair.one.record(pair.key)?.payload == [60])
    }

    @Test(
        "A lock excludes others until its release, and a timed-out wait changes nothing",
        arguments: StoreUnderTest.allCases
    )
    func turns(store: StoreUnderTest) throws {
        let pair = try store.pair()
        let lock = try pair.one.acquire("refresh", for: pair.key, by: .patient)
        // Another record's lock, and another lock of this record, are free.
        try pair.two.acquire("refresh", for: pair.otherKeys[0], by: .patient).release()
        try pair.two.acquire("other", for: pair.key, by: .patient).release()
        do throws(RecordStoreError) {
            // A fleet's server must have answered before the time is over.
            let time = store == .fleet ? Duration.seconds(5) : .milliseconds(50)
            _ = try pair.two.acquire("refresh", for: pair.key, by: .after(time))
            Issue.record("two have the lock")
        } catch {
            #expect(error.code == .timedOut)
        }
        lock.release()
        try pair.two.acquire("refresh", for: pair.key, by: .patient).release()
    }

    @Test(
        "A watch reports each kind of change, by its own process and by others",
        .timeLimit(.minutes(5)),
        arguments: StoreUnderTest.allCases
    )
    func watching(store: StoreUnderTest) async throws {
        let pair = try store.pair()
        let (events, continuation) = AsyncStream<RecordEvent>.makeStream()
        var changes = events.makeAsyncIterator()
        let watch = try pair.one.watch(pair.key, by: .patient) { continuation.yield($0) }
        let acts: [(any RecordStore, RecordChange, String?)] = [
            (pair.two, .write(Array("x".utf8)), "x"), (pair.one, .write(Array("y".utf8)), "y"),
            (pair.two, .replaceDamaged(Array("z".utf8)), "z"), (pair.two, .delete, nil),
            (pair.one, .write(Array("w".utf8)), "w"), (pair.two, .removeDamaged, nil),
        ]
        for (actor, change, expected) in acts {
            try actor.change(pair.key, change)
            // The last change is reported at the latest when no other follows; until then, the record that is read
            // counts.
            while true {
                let event = try #require(await changes.next())
                #expect(event == .changed)
                if try pair.one.record(pair.key)?.payload == expected.map({ Array($0.utf8) }) { break }
            }
        }
        watch.cancel()
        continuation.finish()
    }

    @Test("A watch that was cancelled or released receives nothing", arguments: StoreUnderTest.allCases)
    func cancelling(store: StoreUnderTest) async throws {
        let pair = try store.pair()
        let heard = Mutex(0)
        let cancelled = try pair.one.watch(pair.key, by: .patient) { _ in heard.withLock { $0 += 1 } }
        cancelled.cancel()
        _ = try pair.one.watch(pair.key, by: .patient) { _ in heard.withLock { $0 += 1 } }
        // The daemon may have come while they watched.
        let before = heard.withLock { $0 }
        let (events, continuation) = AsyncStream<RecordEvent>.makeStream()
        let last = try pair.one.watch(pair.key, by: .patient) { continuation.yield($0) }
        try pair.two.change(pair.key, .write([1]))
        var changes = events.makeAsyncIterator()
        _ = await changes.next()
        #expect(heard.withLock { $0 } == before)
        last.cancel()
    }
}

/// Tests watches on a keyring whose bus ends.
struct WatchAgainTests {
    @Test("A lost bus ends every watch, and a new one works afterwards")
    func busGoes() throws {
        let keyring = try PrivateKeyring()
        defer { keyring.shutdown() }
        let world = try AppFixture(keyring)
        let key = try world.key("group.example.again")
        let store = keyring.makeStore()
        let events = (0..<2).map { _ in Recorder<RecordEvent>() }
        let watches = try events.map { events in
            try store.watch(key, by: .patient) { events.record($0) }
        }
        keyring.killBus()
        for events in events { #expect(events.take { $0 == .closed } != nil) }
        #expect(throws: RecordStoreError.self) {
            _ = try store.watch(key, by: .patient) { _ in }
        }

        try keyring.startBus()
        try keyring.startDaemon(unlocked: true)
        let again = Recorder<RecordEvent>()
        let watch = try store.watch(key, by: .patient) { again.record($0) }
        let other = keyring.makeStore()
        try other.change(key, .write([1]))
        #expect(again.take { $0 == .changed } != nil)
        #expect(try store.record(key)?.payload == [1])
        withExtendedLifetime(watches) { watch.cancel() }
    }
}
