internal import SecretService

/// The location of one record: the item that holds it, as far as known from searches and reports of new items.
///
/// Any new item may be a duplicate of this record, until a search that begins after its creation finds out.
struct ItemLocation {
    /// Created items that no search has seen: their paths, each with the number of its last creation.
    typealias Unseen = [String: UInt64]

    /// The state of the location.
    private enum Knowledge {
        /// No item is known. The next lookup searches.
        case unknown(Unseen)
        /// This item holds the record, and the record has no duplicates.
        case known(SecretItem)
        /// This item held the record when the unseen items were created. The next lookup searches.
        case doubtful(SecretItem, Unseen)
    }

    /// The state of a location when a search for it begins.
    struct SearchStart {
        /// The number of the last item created before the search.
        fileprivate let lastMade: UInt64
        fileprivate let paths: Set<String>
    }

    /// The key of unseen items whose path is unknown or exceeds the limit.
    private static let anyPath = ""
    private static let mostPaths = 256

    private var knowledge = Knowledge.unknown([:])
    /// The paths of items that a search has shown not to belong to this record: replacing them is ignored.
    private var elsewhere: Set<String> = []
    /// The number of the watch that existed when the last search began; nil if there was none.
    private(set) var watch: UInt64?

    /// The item to read without a search; nil if the next lookup must search.
    var knownItem: SecretItem? { if case .known(let item) = knowledge { item } else { nil } }

    /// The item that last held the record, even if this is no longer certain.
    var lastItem: SecretItem? {
        switch knowledge {
        case .unknown: nil
        case .known(let item), .doubtful(let item, _): item
        }
    }

    private var unseen: Unseen {
        switch knowledge {
        case .unknown(let unseen), .doubtful(_, let unseen): unseen
        case .known: [:]
        }
    }

    private mutating func set(_ item: SecretItem?, _ unseen: Unseen) {
        knowledge =
            switch item {
            case nil: .unknown(unseen)
            case let item? where unseen.isEmpty: .known(item)
            case let item?: .doubtful(item, unseen)
            }
    }

    /// Returns the state to pass to `endSearch` for a search that begins now.
    func beginSearch(after lastMade: UInt64) -> SearchStart {
        SearchStart(lastMade: lastMade, paths: Set(unseen.keys))
    }

    /// Records the result of a search: the paths of all items that it found, and the item to read from now on, if any.
    mutating func endSearch(_ start: SearchStart, watch: UInt64?, found: Set<String>, item: SecretItem?) {
        set(item, unseen.filter { $0.value > start.lastMade })
        self.watch = watch
        if elsewhere.count > Self.mostPaths { elsewhere = [] }
        elsewhere.subtract(found)
        elsewhere.formUnion(start.paths.subtracting(found).subtracting([Self.anyPath]))
    }

    /// Records the item that the record was written to, or that is its only item.
    mutating func noteWritten(_ item: SecretItem) {
        // Its creation may have been reported before it was known to hold the record.
        set(item, unseen.filter { $0.key != item.path })
    }

    /// Records that an item was created or replaced; nil means that the item is unknown.
    mutating func noteMade(_ path: String?, number: UInt64) {
        if let path, elsewhere.contains(path) { return }
        var unseen = unseen
        let isNoted = path.map { unseen.count < Self.mostPaths || unseen[$0] != nil } ?? false
        unseen[isNoted ? path ?? Self.anyPath : Self.anyPath] = number
        set(lastItem, unseen)
    }

    /// Forces the next lookup to search.
    mutating func forget() { set(nil, unseen) }
}
