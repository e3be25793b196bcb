internal import SecretService

/// What was found in a record's place: the items with its attributes.
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

        /// Whether it cannot be opened, so that deleting it might lose something.
        var isWorthKeeping: Bool {
            switch content {
            case .whole, .empty: false
            case .damaged, .newer: true
            }
        }
    }

    /// What an item in the record's place holds.
    enum Content {
        case whole(Record)
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
                    }
            }
        }
    }

    /// What counts as stored.
    let stored: StoredRecord
    /// The item that holds a whole record.
    let current: Candidate?
    /// What else is in the record's place: other copies, and what cannot be opened.
    let others: [Candidate]
    /// The open collection that a new record goes to, if the lookup had to find that out.
    var home: SecretCollection?
    /// Whether there is no item that a new one could replace, not even a stranger's.
    var isAlone = false

    /// Chooses the whole record that was written last; only if there is none, the rest counts.
    init(_ candidates: [Candidate]) {
        var newest: (place: Int, record: Record)?
        for (place, candidate) in candidates.enumerated() {
            guard case .whole(let record) = candidate.content else { continue }
            if newest.map({ record.revision.isLater(than: $0.record.revision) }) ?? true { newest = (place, record) }
        }
        if let newest {
            stored = .whole(newest.record)
            current = candidates[newest.place]
            others = candidates.enumerated().filter { $0.offset != newest.place }.map(\.element)
        } else {
            stored = Self.flaw(of: candidates)
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
            case .empty, .whole: break
            }
        }
        return damage.map(StoredRecord.damaged) ?? (candidates.isEmpty ? .none : .empty)
    }

    static let nothing = LookupResult([])

    /// What should not be in the place of a whole record besides it. What a newer version wrote may stay.
    var duplicates: [Candidate] {
        guard current != nil else { return [] }
        return others.filter { if case .newer = $0.content { false } else { true } }
    }

    /// The record without its duplicates.
    var withoutDuplicates: LookupResult {
        let duplicates = Set(duplicates.map(\.item))
        return LookupResult(([current].compactMap(\.self) + others).filter { !duplicates.contains($0.item) })
    }
}
