/// What a bucket holds: a token, and what was learned with it, by programmer.
struct Bucket: Sendable, Hashable, Codable {
    /// The epoch of the index that it belongs to.
    let epoch: UInt64
    let number: UInt64
    let token: String
    var caches: [String: SessionCache] = [:]

    /// Whether it holds what an index lists; not if it was written since the index was read, or void before.
    func belongs(to entry: StoreIndex.Entry, of index: StoreIndex) -> Bool {
        epoch == index.epoch && number == entry.number
    }
}
