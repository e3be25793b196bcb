/// A token with its caches, one for each programmer.
struct Bucket: Sendable, Hashable, Codable {
    /// The epoch of its index.
    let epoch: UInt64
    let number: UInt64
    let token: String
    /// The cache of each programmer. Authorizations are on pages; older versions of the library stored them here.
    var caches: [String: SessionCache] = [:]
    /// The pages of authorizations that may exist, in order; listed before a page is first written, so that a log-out
    /// finds all of them.
    var pages: [Int]?

    /// A substitute for a bucket that cannot be read: it may have had any page.
    static var unreadable: Bucket { Bucket(epoch: 0, number: 0, token: "", pages: Array(0..<16)) }

    /// Returns whether it holds the token of an index entry; false if it was written after the index was read, or was
    /// already void.
    func belongs(to entry: StoreIndex.Entry, of index: StoreIndex) -> Bool {
        epoch == index.epoch && number == entry.number
    }

    func holds(_ session: PassSession) -> Bool { epoch == session.epoch && number == session.number }

    /// Returns the places of its pages, for a bucket in this place.
    func pagePlaces(in place: String) -> [String] { (pages ?? []).map { AuthorizationPage.place($0, of: place) } }

    mutating func setCache(_ cache: SessionCache, of requestor: String) {
        if caches[requestor] == nil, cache == SessionCache() { return }
        caches[requestor] = cache
    }

    /// Lists pages that are about to be written.
    mutating func announce(_ indices: some Sequence<Int>) {
        let all = Set(pages ?? []).union(indices)
        pages = all.isEmpty ? nil : all.sorted()
    }
}
