internal import SecretService

/// The place of one record: the item that holds it, as far as searches and reports of new items tell.
///
/// Any new item may be a second one in the place, until a search that begins after it was made shows what is there.
struct ItemLocation {
    /// The items that were made and that no search has seen: their paths, each with the number of its last making.
    typealias Unseen = [String: UInt64]

    /// The state of the place.
    private enum Knowledge {
        /// No item is known: the next lookup searches.
        case unknown(Unseen)
        /// This item holds the record, and no other is in its place.
        case known(SecretItem)
        /// This item held the record when the unseen ones were made: the next lookup searches.
        case doubtful(SecretItem, Unseen)
    }

    /// The state of a place when a search for it begins.
    struct SearchStart {
        /// The number of the last item that was made before.
        fileprivate let lastMade: UInt64
        fileprivate let paths: Set<String>
    }

    /// The key of unseen items whose path is not known, or is one too many to note.
    private static let anyPath = ""
    private static let mostPaths = 256

    private var knowledge = Knowledge.unknown([:])
    /// The paths of items that a search has shown to be elsewhere: those may be replaced as often as they like.
    private var elsewhere: Set<String> = []
    /// The number of the watch that was there when the last search began; nil: none.
    private(set) var watch: UInt64?

    /// The item to read without a search; nil if the next lookup has to search.
    var knownItem: SecretItem? { if case .known(let item) = knowledge { item } else { nil } }

    /// The item that held the record last, whether that is certain or not.
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

    /// Returns what the end of a search that begins now has to know.
    func beginSearch(after lastMade: UInt64) -> SearchStart {
        SearchStart(lastMade: lastMade, paths: Set(unseen.keys))
    }

    /// Notes the result of a search: the paths of all items that it found, and the item to read from now on, if any.
    mutating func endSearch(_ start: SearchStart, watch: UInt64?, found: Set<String>, item: SecretItem?) {
        set(item, unseen.filter { $0.value > start.lastMade })
        self.watch = watch
        if elsewhere.count > Self.mostPaths { elsewhere = [] }
        elsewhere.subtract(found)
        elsewhere.formUnion(start.paths.subtracting(found).subtracting([Self.anyPath]))
    }

    /// Notes the item that the record was written to, or is alone in.
    mutating func noteWritten(_ item: SecretItem) {
        // Its making may have been reported before it was known to be the record's.
        set(item, unseen.filter { $0.key != item.path })
    }

    /// Notes that an item was made or replaced; nil: it is not known which.
    mutating func noteMade(_ path: String?, number: UInt64) {
        if let path, elsewhere.contains(path) { return }
        var unseen = unseen
        let isNoted = path.map { unseen.count < Self.mostPaths || unseen[$0] != nil } ?? false
        unseen[isNoted ? path ?? Self.anyPath : Self.anyPath] = number
        set(lastItem, unseen)
    }

    /// Makes the next lookup search.
    mutating func forget() { set(nil, unseen) }
}
