internal import SecretService

/// The result of a lookup: the items with a record's attributes.
struct LookupResult {
    /// An item in the record's place.
    struct Candidate {
        let item: SecretItem
        let secret: Secret
        let content: Content

        init(_ item: SecretItem, _ secret: Secret, for key: RecordKey) {
            self.item = item
            self.secret = secret
            content = Content(secret, for: key)
        }

        /// Indicates whether it cannot be opened, so that deleting it might lose data.
        var isWorthKeeping: Bool {
            switch content {
            case .whole, .deleted, .empty: false
            case .damaged, .newer: true
            }
        }
    }

    /// The content of an item in the record's place.
    enum Content {
        case whole(Record)
        /// The mark of a deletion.
        case deleted(Revision)
        case empty
        case damaged(String)
        case newer(String)

        init(_ secret: Secret, for key: RecordKey) {
            do throws(Envelope.Flaw) {
                self = .whole(try Envelope.open(secret.bytes, for: key))
            } catch {
                self =
                    switch error {
                    case .empty: .empty
                    case .damaged(let reason): .damaged(reason)
                    case .newer(let reason): .newer(reason)
                    case .foreign: .damaged("it is the record of another slot")
                    case .deleted(let revision): .deleted(revision)
                    }
            }
        }
    }

    /// The record that counts as stored.
    let stored: StoredRecord
    /// The item that holds the intact record, or the mark of a deletion.
    let current: Candidate?
    /// The latest revision of an intact record or of a deletion.
    let revision: Revision?
    /// The other items in the record's place: other copies, and items that cannot be opened.
    let others: [Candidate]
    /// The unlocked collection for a new record, if the lookup determined it.
    var home: SecretCollection?
    /// Indicates whether no item exists that a new one could replace, not even one of another program.
    var isAlone = false

    /// Chooses the intact record with the latest revision. Without an intact record, the other items determine what is
    /// stored. The mark of a later deletion counts as no record.
    init(_ candidates: [Candidate]) {
        var newest: (place: Int, stored: StoredRecord, revision: Revision)?
        for (place, candidate) in candidates.enumerated() {
            let (stored, revision): (StoredRecord, Revision)
            switch candidate.content {
            case .whole(let record): (stored, revision) = (.whole(record), record.revision)
            case .deleted(let deletion): (stored, revision) = (.none, deletion)
            case .empty, .damaged, .newer: continue
            }
            if newest.map({ revision.isLater(than: $0.revision) }) ?? true { newest = (place, stored, revision) }
        }
        if let newest {
            (stored, revision) = (newest.stored, newest.revision)
            current = candidates[newest.place]
            others = candidates.enumerated().filter { $0.offset != newest.place }.map(\.element)
        } else {
            stored = Self.flaw(of: candidates)
            revision = nil
            current = nil
            others = candidates
        }
    }

    private static func flaw(of candidates: [Candidate]) -> StoredRecord {
        var damage: String?
        for candidate in candidates {
            switch candidate.content {
            case .newer(let reason): return .newer(reason)
            case .damaged(let reason): damage = damage ?? reason
            case .empty, .whole, .deleted: break
            }
        }
        return damage.map(StoredRecord.damaged) ?? (candidates.isEmpty ? .none : .empty)
    }

    static let nothing = LookupResult([])

    /// Indicates whether the current item is the mark of a deletion.
    var isDeleted: Bool { if case .none = stored { current != nil } else { false } }

    /// The items that should not exist besides the intact record, and the mark of a deletion once it is alone. Items
    /// written by a newer version are not included.
    var duplicates: [Candidate] {
        guard let current else { return [] }
        if isDeleted, others.isEmpty { return [current] }
        return others.filter { if case .newer = $0.content { false } else { true } }
    }

    /// Returns whether a write in place of the current item may replace another item in the record's place instead.
    func mayBeReplaced(_ other: Candidate) -> Bool {
        current.map { $0.item.collection == other.item.collection } ?? true
    }

    /// The record without its duplicates.
    var withoutDuplicates: LookupResult {
        let duplicates = Set(duplicates.map(\.item))
        return LookupResult(([current].compactMap(\.self) + others).filter { !duplicates.contains($0.item) })
    }
}

/// The searches of one lookup whose items could not be read, and why.
struct FailedSearches {
    /// The cause of the failures.
    enum Cause: Hashable {
        /// Other processes change the items.
        case changes
        /// The daemon lists this number of items that it does not have, as GNOME Keyring does when another process has
        /// changed its file.
        case ghosts(Int)
        /// The daemon lists the same items each time, this number of them, and says that they do not exist when they are
        /// read.
        case contradiction(Int)
    }

    /// The items of each search.
    private var found: Set<Set<String>> = []
    /// The items that every search has found, and that never existed.
    private var ghosts: Set<String>?

    /// Notes a search by the paths of the items that it found, and of those that do not exist.
    mutating func note(found: [String], missing: [String]) {
        self.found.insert(Set(found))
        ghosts = ghosts?.intersection(missing) ?? Set(missing)
    }

    /// The cause. What does not change between searches will not change for another try.
    var cause: Cause {
        if let ghosts, !ghosts.isEmpty { return .ghosts(ghosts.count) }
        guard found.count == 1, let items = found.first else { return .changes }
        return .contradiction(items.count)
    }
}

extension SecretServiceError {
    /// Creates the error for items of this name that could not be read.
    init(_ cause: FailedSearches.Cause, of name: String) {
        func items(_ count: Int) -> String { count == 1 ? "an item" : "\(count) items" }
        switch cause {
        case .changes:
            self.init(
                code: .protocolViolation,
                message: "The items of \(name) changed faster than they could be read.",
                remedy: "Try again."
            )
        case .ghosts(let count):
            self.init(
                code: .protocolViolation,
                message: "The keyring daemon lists \(items(count)) of \(name) that it does not have: a second keyring "
                    + "daemon has changed the same keyring file.",
                remedy: "Run one keyring daemon for each user: end the second one, and restart this one. sharedauth "
                    + "doctor names it if it runs here."
            )
        case .contradiction(let count):
            self.init(
                code: .protocolViolation,
                message: "The keyring daemon contradicts itself: it lists \(items(count)) of \(name), and says that "
                    + "there is no such item when it is read.",
                remedy: "Restart the keyring daemon, and check its log. sharedauth doctor names a second one if it "
                    + "runs here."
            )
        }
    }
}
