/// What a bucket holds: a token, and what was learned with it, by programmer.
struct Bucket: Sendable, Hashable, Codable {
    /// The epoch of the index that it belongs to.
    let epoch: UInt64
    let number: UInt64
    let token: String
    var caches: [String: SessionCache] = [:]
}
