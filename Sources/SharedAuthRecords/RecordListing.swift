package import FoundationEssentials

/// A store that can list what it holds: the kinds of records, the records of a kind, and what it has set aside.
///
/// For owners of many records whose keys stand in another record, who clean up with it after that record was lost, and for
/// tools that look at what all apps have stored.
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

    /// The records of a kind, of all scopes, in no order, each with what was set aside of it; a place where only that is left is
    /// among them. Only reads.
    ///
    /// - Parameter instance: the name of the `AuthApp`; nil for all.
    /// - Throws: `locked` if some of it can be locked away: never less than there is.
    func records(
        ofProject project: String,
        instance: String?,
        kind: String,
        by deadline: Deadline
    ) throws(RecordStoreError) -> [ListedRecord]

    /// What was set aside of a record, oldest first.
    func setAsideRecords(of key: RecordKey, by deadline: Deadline) throws(RecordStoreError) -> [SetAsideRecord]

    /// Deletes the copies that were set aside from the places of these keys, which are alike but for their kinds.
    func discardSetAside(of keys: [RecordKey], by deadline: Deadline) throws(RecordStoreError)
}

extension RecordStore {
    /// The records of a kind, of all scopes, in no order; see ``RecordListing/records(ofProject:instance:kind:by:)``.
    ///
    /// - Throws: `failed` if the store cannot list its records, `locked` if some of it can be locked away.
    package func listRecords(
        ofProject project: String,
        instance: String?,
        kind: String,
        by deadline: Deadline
    ) throws(RecordStoreError) -> [ListedRecord] {
        guard let store = self as? any RecordListing else {
            throw RecordStoreError(
                .failed,
                "This store cannot list its records.",
                remedy: "Name the access group or the app whose record you need."
            )
        }
        return try store.records(ofProject: project, instance: instance, kind: kind, by: deadline)
    }
}

/// What a store lists of one place: the record, and what was set aside of it.
package struct ListedRecord: Sendable {
    /// Whose record it is; nil if its place does not say.
    package let key: RecordKey?
    /// What is stored there; none if only something that was set aside is left.
    package let stored: StoredRecord
    /// How many bytes it takes in the store, duplicates included.
    package let size: Int
    /// When it was last written; nil if the store does not know.
    package let modified: Date?
    /// How many more items are in its place besides the one that counts.
    package let duplicates: Int
    /// What was set aside of it, oldest first.
    package let setAside: [SetAsideRecord]
    /// The digest that its place has instead of a name; nil if it has a name.
    let digest: String?

    init(
        key: RecordKey?,
        stored: StoredRecord,
        size: Int,
        modified: Date? = nil,
        duplicates: Int = 0,
        setAside: [SetAsideRecord] = [],
        digest: String? = nil
    ) {
        self.key = key
        self.stored = stored
        self.size = size
        self.modified = modified
        self.duplicates = duplicates
        self.setAside = SetAsideRecord.sorted(setAside)
        self.digest = digest
    }

    /// The name of the file that it is in; nil if it is in none.
    package var file: String? { digest.map { $0 + RecordKey.fileSuffix } }

    /// Whether this is the record of a key, even if its place does not say so.
    package func isRecord(of key: RecordKey) -> Bool {
        self.key.map { $0 == key } ?? (digest == key.hexadecimalDigest)
    }
}

extension RecordKey {
    /// What the kind of a copy that was set aside goes on with.
    package static let setAsideMark = ".set-aside."

    /// Whether this is a record of a project and a kind, and of an instance, if one is named.
    func isOf(project: String, instance: String?, kind: String) -> Bool {
        self.kind == kind && self.project == project && instance ?? self.instance == self.instance
    }

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
        // Earlier versions chose other numbers; nearly all of those are times in a far future or a far past.
        let milliseconds = number >> 16
        let day: UInt64 = 86_400_000
        date =
            milliseconds >= Self.firstTime && milliseconds <= source.milliseconds + day
            ? Date(timeIntervalSince1970: Double(milliseconds) / 1000) : nil
    }

    /// The milliseconds from 1970 to 2020: nothing was set aside before.
    private static let firstTime: UInt64 = 1_577_836_800_000

    /// A new number, which nothing else of the slot has, and which is higher than those given out before: the
    /// milliseconds since 1970, ten bits for the microseconds on top, and six random ones.
    static func number(_ source: RevisionSource) -> UInt64 {
        let (milliseconds, microseconds) = source.microseconds.quotientAndRemainder(dividingBy: 1000)
        return source.ascending((milliseconds << 16) | (microseconds << 6) | (source.random() & 0x3F))
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
