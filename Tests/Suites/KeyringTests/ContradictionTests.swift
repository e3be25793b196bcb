import SecretService
import TestSupport
import Testing

@testable import SharedAuth
@testable import SharedAuthRecords

/// Tests daemons that contradict themselves: missing content ends in an error after a few calls, and an item that is
/// listed twice counts once.
struct ContradictionTests {
    @Test(
        "A search with contradictory items is made three times; its error names the item",
        arguments: [("omitting", "secret"), ("hiding", "attributes")]
    )
    func missingContent(_ word: String, _ what: String) throws {
        let fake = try Fake()
        let bench = fake.bench
        try bench.write("there", through: bench.otherStore())
        let path = try #require(try bench.items().first?.path)
        try fake.tell(word)
        _ = bench.calls.take()
        let error = try #require(
            expectFailure(\RecordStoreError.code, .failed) {
                _ = try bench.store.read(bench.key, by: bench.deadline)
            }
        )
        #expect(error.message.contains(path) && error.message.contains(what), "\(error)")
        #expect(!error.outcomeIsUnknown)
        #expect(bench.calls.take().count { $0 == "SearchItems" } == 3)
    }

    @Test("An item that could not be found again is deleted, after two attempts")
    func neverFoundAgain() throws {
        let bench = try Fake("hiding").bench
        let error = try #require(
            expectFailure(\RecordStoreError.code, .failed) {
                _ = try bench.store.update(bench.key, by: bench.deadline) { _ in .write([1]) }
            }
        )
        #expect(error.message.contains("attributes"), "\(error)")
        #expect(bench.calls.take().count { $0 == "CreateItem" } == 2)
        #expect(try bench.items().isEmpty)
    }

    @Test("An item that a search lists twice is kept and is not a duplicate")
    func namedTwice() throws {
        let fake = try Fake()
        let bench = fake.bench
        try bench.write("there", through: bench.otherStore())
        try fake.tell("doubling")
        #expect(try bench.items().count == 1)
        #expect(try bench.store.read(bench.key, by: bench.deadline).text == "there")
        try bench.store.repairDuplicates(of: bench.key, by: bench.deadline)
        #expect(try bench.otherStore().update(bench.key, by: bench.deadline) { _ in .keep }.text == "there")
        #expect(!bench.calls.take().contains("Delete"))
        #expect(try bench.text() == "there")
    }

    @Test("An item listed twice counts once, in a collection's items and among locked items")
    func listedTwice() throws {
        let fake = try Fake()
        let bench = fake.bench
        try bench.write("there", through: bench.otherStore())
        try fake.tell("doubling")
        #expect(try bench.service.defaultCollection().items().count == 1)
        try fake.tell("lock")
        let found = try bench.service.items(matching: bench.key.queryAttributes)
        #expect(found.unlocked.isEmpty)
        #expect(found.locked.count == 1)
    }
}
