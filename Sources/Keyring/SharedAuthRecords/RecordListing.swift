package import FoundationEssentials

/// A store that can list its contents: the kinds of records, the records of a kind, and the copies it has set aside.
///
/// For modules that keep the keys of many records in another record and must clean up after that record is lost, and
/// for tools that list the records of all apps.
package protocol RecordListing: RecordStore {
    /// Indicates whether the store can list the kinds of its records.
    var listsKinds: Bool { get }

    /// Returns the kinds with this prefix of all items stored for a key's scope, project and instance, including copies
    /// that were set aside; empty if the store cannot list kinds.
    func kinds(
        beginningWith prefix: String,
        like key: RecordKey,
        by deadline: Deadline
    ) throws(RecordStoreError) -> Set<String>

    /// Returns the records of a kind in all scopes, unordered, each with the copies set aside from it. Includes places
    /// that hold only such copies. Writes nothing.
    ///
    /// - Parameter instance: The name of the `AuthApp`; nil for all.
    /// - Throws: `locked` if some of the records may be locked. It never returns an incomplete list.
    func records(
        ofProject project: String,
        instance: String?,
        kind: String,
        by deadline: Deadline
    ) throws(RecordStoreError) -> [ListedRecord]

    /// Returns the copies set aside from a record, oldest first.
    func setAsideRecords(of key: RecordKey, by deadline: Deadline) throws(RecordStoreError) -> [SetAsideRecord]

    /// Deletes the copies that were set aside from these keys. The keys differ only in their kinds.
    func discardSetAside(of keys: [RecordKey], by deadline: Deadline) throws(RecordStoreError)
}

extension RecordStore {
    /// Returns the records of a kind in all scopes, unordered; see
    /// ``RecordListing/records(ofProject:instance:kind:by:)``.
    ///
    /// - Throws: `failed` if the store cannot list its records, `locked` if some of them may be locked.
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

/// An entry of a store's list: a record, and the copies set aside from it.
package struct ListedRecord: Sendable {
    /// The record's key; nil if it cannot be determined.
    package let key: RecordKey?
    /// The stored record; `none` if only copies that were set aside remain.
    package let stored: StoredRecord
    /// The size in bytes in the store, including duplicates.
    package let size: Int
    /// The time of the last write; nil if the store does not know it.
    package let modified: Date?
    /// The number of items in the record's place besides the current one.
    package let duplicates: Int
    /// The copies set aside from it, oldest first.
    package let setAside: [SetAsideRecord]
    /// The digest in the name of its file; nil in a store that keeps the key itself.
    package let digest: String?
    /// The name of the record's file; nil in a store without files.
    package let file: String?

    package init(
        key: RecordKey?,
        stored: StoredRecord,
        size: Int,
        modified: Date? = nil,
        duplicates: Int = 0,
        setAside: [SetAsideRecord] = [],
        digest: String? = nil,
        file: String? = nil
    ) {
        self.key = key
        self.stored = stored
        self.size = size
        self.modified = modified
        self.duplicates = duplicates
        self.setAside = SetAsideRecord.sorted(setAside)
        self.digest = digest
        self.file = file
    }

    /// Returns whether this is the record of a key, even if the entry has no key.
    package func isRecord(of key: RecordKey) -> Bool {
        self.key.map { $0 == key } ?? (digest == key.hexadecimalDigest)
    }
}

extension RecordKey {
    /// The text that separates a kind from the number of a copy that was set aside.
    package static let setAsideMark = ".set-aside."

    /// Returns whether this key has this project and kind, and this instance unless it is nil.
    package func isOf(project: String, instance: String?, kind: String) -> Bool {
        self.kind == kind && self.project == project && instance ?? self.instance == self.instance
    }

    /// Returns whether another key differs at most in its kind.
    func isLike(_ other: RecordKey) -> Bool {
        scope == other.scope && project == other.project && instance == other.instance
    }
}

/// An item that could not be opened and was moved out of the record's place.
///
/// A slot keeps at most eight; when there are more, the oldest is deleted.
package struct SetAsideRecord: Sendable, Hashable {
    /// Identifies it among the copies of its slot. Contains the time when it was set aside.
    package let number: UInt64
    /// Its location: the path of an item, or the name of a file.
    package let place: String
    /// The time when it was set aside; nil if an earlier version of the library did so, which recorded no time.
    package let date: Date?

    package static let limit = 8

    /// Creates the description of a copy from its number in hexadecimal; nil if the text is not a number.
    package init?(number text: some StringProtocol, place: String, _ source: RevisionSource) {
        guard let number = UInt64(text, radix: 16) else { return nil }
        self.number = number
        self.place = place
        // Earlier versions chose other numbers; nearly all of them would be times far in the future or the past.
        let milliseconds = number >> 16
        let day: UInt64 = 86_400_000
        date =
            milliseconds >= Self.firstTime && milliseconds <= source.milliseconds + day
            ? Date(timeIntervalSince1970: Double(milliseconds) / 1000) : nil
    }

    /// The milliseconds from 1970 to 2020. No copy was set aside before.
    private static let firstTime: UInt64 = 1_577_836_800_000

    /// Returns a new number, unique in the slot and higher than all numbers returned before: the milliseconds since
    /// 1970, ten bits for the remaining microseconds, and six random bits.
    package static func number(_ source: RevisionSource) -> UInt64 {
        let (milliseconds, microseconds) = source.microseconds.quotientAndRemainder(dividingBy: 1000)
        return source.ascending((milliseconds << 16) | (microseconds << 6) | (source.random() & 0x3F))
    }

    /// Returns the records, oldest first.
    package static func sorted(_ records: [SetAsideRecord]) -> [SetAsideRecord] {
        records.sorted { left, right in
            (left.date ?? .distantPast, left.number) < (right.date ?? .distantPast, right.number)
        }
    }

    /// Returns the oldest records, those beyond the limit.
    package static func surplus(of records: [SetAsideRecord]) -> [SetAsideRecord] {
        Array(sorted(records).dropLast(limit))
    }
}
