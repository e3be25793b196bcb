/// A bucket: a token, and the caches that go with it, by programmer.
struct Bucket: Sendable, Hashable, Codable {
    /// The epoch of the index that it belongs to.
    let epoch: UInt64
    let number: UInt64
    let token: String
    /// The cache of each programmer. Authorizations are on pages; older versions of the library kept them here.
    var caches: [String: SessionCache] = [:]
    /// The pages of authorizations that there may be, in order; noted before a page is first written, so that no
    /// log-out misses one.
    var pages: [Int]?

    /// Stands for one that cannot be read: it may have had any page.
    static var unreadable: Bucket { Bucket(epoch: 0, number: 0, token: "", pages: Array(0..<16)) }

    /// Whether it holds what an index lists; not if it was written since the index was read, or void before.
    func belongs(to entry: StoreIndex.Entry, of index: StoreIndex) -> Bool {
        epoch == index.epoch && number == entry.number
    }

    func holds(_ session: PassSession) -> Bool { epoch == session.epoch && number == session.number }

    /// Returns the places of its pages, if it is stored in this place.
    func pagePlaces(in place: String) -> [String] { (pages ?? []).map { AuthorizationPage.place($0, of: place) } }

    mutating func setCache(_ cache: SessionCache, of requestor: String) {
        if caches[requestor] == nil, cache == SessionCache() { return }
        caches[requestor] = cache
    }

    /// Notes pages that are about to be written.
    mutating func announce(_ indices: some Sequence<Int>) {
        let all = Set(pages ?? []).union(indices)
        pages = all.isEmpty ? nil : all.sorted()
    }
}
