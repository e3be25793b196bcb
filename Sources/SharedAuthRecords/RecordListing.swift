package import FoundationEssentials
package import SecretService

/// A store that can list what it holds: the kinds of records, and what it has set aside.
///
/// For owners of many records whose keys stand in another record: they clean up with it after that record was lost.
package protocol RecordListing: RecordStore {
    /// Whether the store can list the kinds of records that it has.
    var listsKinds: Bool { get }

    /// The kinds of everything that is stored for a key's scope, project and instance and begins so, copies that were set
    /// aside included; nothing where the store cannot list them.
    func kinds(
        beginningWith prefix: String,
        like key: RecordKey,
        by deadline: Deadline
    ) throws(RecordStoreError) -> Set<String>

    /// What was set aside of a record, oldest first.
    func setAsideRecords(of key: RecordKey, by deadline: Deadline) throws(RecordStoreError) -> [SetAsideRecord]

    /// Deletes the copies that were set aside from the places of these keys, which are alike but for their kinds.
    func discardSetAside(of keys: [RecordKey], by deadline: Deadline) throws(RecordStoreError)
}

extension RecordKey {
    /// What the kind of a copy that was set aside goes on with.
    package static let setAsideMark = ".set-aside."

    /// Whether another key differs in its kind at most.
    func isLike(_ other: RecordKey) -> Bool {
        scope == other.scope && project == other.project && instance == other.instance
    }
}

/// Something that was found in a record's place, could not be opened, and was moved out of the way.
///
/// A slot has at most eight: when there are more, the oldest is deleted.
package struct SetAsideRecord: Sendable, Hashable {
    /// Tells it from the others of its slot; the time when it was set aside is in it.
    let number: UInt64
    /// Where it is: the path of an item, or the name of a file.
    package let place: String
    /// When it was set aside; nil if an earlier version of the library did it, which noted no time.
    package let date: Date?

    static let limit = 8

    /// Makes one of its number, unless the text is none.
    init?(number text: some StringProtocol, place: String, _ source: RevisionSource) {
        guard let number = UInt64(text, radix: 16) else { return nil }
        self.number = number
        self.place = place
        // Earlier versions chose any number; nearly all of those are times in a far future.
        let milliseconds = number >> 16
        let day: UInt64 = 86_400_000
        date =
            milliseconds <= source.milliseconds + day
            ? Date(timeIntervalSince1970: Double(milliseconds) / 1000) : nil
    }

    /// A new number, which nothing else of the slot has, and which is higher than those given out before: the
    /// milliseconds since 1970, ten bits for the microseconds on top, and six random ones.
    static func number(_ source: RevisionSource) -> UInt64 {
        let microseconds = source.microseconds
        return source.ascending(microseconds / 1000 << 16 | microseconds % 1000 << 6 | source.random() & 0x3F)
    }

    /// The oldest first.
    static func sorted(_ records: [SetAsideRecord]) -> [SetAsideRecord] {
        records.sorted { left, right in
            (left.date ?? .distantPast, left.number) < (right.date ?? .distantPast, right.number)
        }
    }

    /// Those that have to go, so that there are not too many.
    static func surplus(of records: [SetAsideRecord]) -> [SetAsideRecord] {
        Array(sorted(records).dropLast(limit))
    }
}
