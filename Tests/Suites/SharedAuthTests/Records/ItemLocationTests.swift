import Testing

@testable import SecretService
@testable import SharedAuthRecords

@Suite("The location of a record, from searches and reports of new items")
struct ItemLocationTests {
    private let service = SecretService()

    private func item(_ path: String) -> SecretItem { SecretItem(path: path, service: service) }

    /// Returns a location after a search that found the record at `/a`, with no new item reported before.
    private func found() -> ItemLocation {
        var location = ItemLocation()
        location.endSearch(location.beginSearch(after: 0), watch: 1, found: ["/a"], item: item("/a"))
        return location
    }

    @Test("An item that a search has found is read without a search until it is forgotten")
    func foundItem() {
        var location = found()
        #expect(location.knownItem?.path == "/a" && location.watch == 1)
        location.forget()
        #expect(location.knownItem == nil && location.lastItem == nil)
    }

    @Test("A new item, named or not, makes the next lookup search", arguments: ["/b", nil])
    func newItem(path: String?) {
        var location = found()
        location.noteMade(path, number: 1)
        #expect(location.knownItem == nil && location.lastItem?.path == "/a")
        location.endSearch(location.beginSearch(after: 1), watch: 1, found: ["/a"], item: item("/a"))
        #expect(location.knownItem?.path == "/a")
    }

    @Test("An item that a search has shown to be elsewhere causes no search")
    func itemElsewhere() {
        var location = found()
        location.noteMade("/b", number: 1)
        location.endSearch(location.beginSearch(after: 1), watch: 1, found: ["/a"], item: item("/a"))
        location.noteMade("/b", number: 2)
        #expect(location.knownItem?.path == "/a")
        location.endSearch(location.beginSearch(after: 2), watch: 1, found: ["/a", "/b"], item: nil)
        location.endSearch(location.beginSearch(after: 2), watch: 1, found: ["/a"], item: item("/a"))
        location.noteMade("/b", number: 3)
        #expect(location.knownItem == nil)
    }

    @Test("An item made during a search causes another search", arguments: ["/b", nil])
    func madeMeanwhile(path: String?) {
        var location = found()
        location.noteMade(path, number: 1)
        let start = location.beginSearch(after: 1)
        location.noteMade(path, number: 2)
        location.endSearch(start, watch: 1, found: ["/a"], item: item("/a"))
        #expect(location.knownItem == nil)
    }

    @Test("A write's own item causes no search, whenever its creation is reported")
    func ownItem() {
        var location = found()
        location.noteMade("/c", number: 1)
        location.noteWritten(item("/c"))
        #expect(location.knownItem?.path == "/c")
        location.noteMade("/d", number: 2)
        location.noteWritten(item("/c"))
        #expect(location.knownItem == nil && location.lastItem?.path == "/c")
    }

    @Test("Few of a thousand new items are noted, and the next search covers them all")
    func manyItems() {
        var location = found()
        for number in 1...1000 { location.noteMade("/item\(number)", number: UInt64(number)) }
        let start = location.beginSearch(after: 1000)
        #expect(location.knownItem == nil)
        location.endSearch(start, watch: 1, found: ["/a"], item: item("/a"))
        #expect(location.knownItem?.path == "/a")
        // This item is not among those noted as elsewhere.
        location.noteMade("/item1000", number: 1001)
        #expect(location.knownItem == nil)
    }
}
