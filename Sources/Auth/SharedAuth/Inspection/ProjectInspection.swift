package import FoundationEssentials

/// Reads the stored data of all apps of a project, for tools that examine it. Uses no `Auth` and writes nothing.
package struct ProjectInspection {
    private let project: String
    private let store: any RecordStore

    /// Creates an inspection of a project, on an existing store.
    ///
    /// - Throws: `invalidAppIdentifier` for a malformed project.
    package init(project: String, store: any RecordStore) throws(AuthError) {
        try AppInspection.check(project: project)
        self.project = project
        self.store = store
    }

    /// Returns the slots with stored data, or only the requested ones, sorted. Blocks until the store responds.
    ///
    /// A file of an earlier version does not name its slot. It is listed without a name, unless its slot is one of the
    /// requested ones.
    ///
    /// - Parameter owners: the requested slots; nil for all.
    /// - Throws: `keyringLocked` if some of the records may be locked, or another error of the store.
    package func slots(of owners: [ListedSlot.Owner]? = nil, by deadline: Deadline) throws(AuthError) -> [ListedSlot] {
        try records(ofInstance: AuthApp.defaultName, by: deadline)
            .compactMap { slot(of: $0, among: owners) }
            .sorted { $0.owner < $1.owner }
    }

    private func records(ofInstance instance: String, by deadline: Deadline) throws(AuthError) -> [ListedRecord] {
        try store.listUserRecords(ofProject: project, instance: instance, by: deadline)
    }

    /// Describes the slot of a record; nil if the record is not a user record, or if its slot was not requested.
    private func slot(of record: ListedRecord, among owners: [ListedSlot.Owner]?) -> ListedSlot? {
        guard let owner = owner(of: record, among: owners), owners?.contains(owner) ?? true else { return nil }
        let content = ListedSlot.Content(record.stored)
        if case .unnamed = owner, !isPlausible(content, for: record) { return nil }
        return ListedSlot(
            owner: owner,
            content: content,
            size: record.size,
            modified: record.modified,
            duplicates: record.duplicates,
            setAside: record.setAside
        )
    }

    private func owner(of record: ListedRecord, among owners: [ListedSlot.Owner]?) -> ListedSlot.Owner? {
        switch record.key?.scope {
        case .app(let appID): return .app(appID)
        case .group(let group): return .group(group)
        case .project: return nil
        case nil: break
        }
        return owners?.first { key(of: $0).map(record.isRecord) ?? false } ?? record.file.map(ListedSlot.Owner.unnamed)
    }

    private func key(of owner: ListedSlot.Owner) -> RecordKey? {
        let scope: RecordKey.Scope
        switch owner {
        case .app(let appID): scope = .app(appID)
        case .group(let group): scope = .group(group)
        case .unnamed: return nil
        }
        return RecordKey(scope: scope, project: project, instance: AuthApp.defaultName, kind: UserSlots.recordKind)
    }

    /// Returns whether a file that does not name its slot may belong to this project. It can hold a record of any kind
    /// and project.
    private func isPlausible(_ content: ListedSlot.Content, for record: ListedRecord) -> Bool {
        guard case .whole = record.stored else { return true }
        switch content {
        case .accounts(let users): return users.accounts.contains { $0.project == project }
        case .newer: return true
        case .nothing, .damaged: return false
        }
    }
}

extension UserSlots {
    /// Returns the accounts in all readable slots of the project, for any name of the `AuthApp`. Blocks until the store
    /// responds.
    ///
    /// - Throws: an error that the store reports for the records as a whole.
    func accountsOfAllInstances(by deadline: Deadline) throws(AuthError) -> [Account] {
        var accounts: [Account] = []
        for record in try store.listUserRecords(ofProject: project, instance: nil, by: deadline) {
            if case .accounts(let users) = ListedSlot.Content(record.stored) { accounts += users.accounts }
        }
        return accounts
    }
}

extension RecordStore {
    fileprivate func listUserRecords(
        ofProject project: String,
        instance: String?,
        by deadline: Deadline
    ) throws(AuthError) -> [ListedRecord] {
        do {
            return try listRecords(ofProject: project, instance: instance, kind: UserSlots.recordKind, by: deadline)
        } catch {
            throw AuthError(error)
        }
    }
}

/// The stored data of one slot.
package struct ListedSlot: Sendable {
    /// The owner of a slot.
    package enum Owner: Sendable, Hashable {
        /// The app with this id.
        case app(String)
        /// The access group with this name.
        case group(String)
        /// Unknown; the record is in a file with this name.
        case unnamed(String)
    }

    /// The content of a record.
    package enum Content: Sendable {
        /// There is no record; only copies that were set aside are left.
        case nothing
        /// The signed-in accounts, and the rest of the record.
        case accounts(UserRecord)
        /// The record cannot be read; the text gives the reason.
        case damaged(String)
        /// The record has a newer format than this library supports; the text names it.
        case newer(String)
    }

    /// The owner of the slot.
    package let owner: Owner
    /// The content of the record.
    package let content: Content
    /// The size of the record in the store, in bytes.
    package let size: Int
    /// The time of the last write; nil if the store does not know it.
    package let modified: Date?
    /// The number of items in the record's place besides the current one.
    package let duplicates: Int
    /// The records of the slot that were set aside, oldest first.
    package let setAside: [SetAsideRecord]
}

extension ListedSlot.Content {
    fileprivate init(_ stored: StoredRecord) {
        do throws(RecordFlaw) {
            self = try stored.content(UserRecord.init(decoding:)).map { .accounts($0) } ?? .nothing
        } catch {
            self =
                switch error {
                case .empty, .damaged: .damaged(error.reason)
                case .newer(let reason): .newer(reason)
                }
        }
    }
}

extension ListedSlot.Owner: Comparable {
    /// Orders apps first, then groups, then files without an owner; each by name.
    package static func < (left: ListedSlot.Owner, right: ListedSlot.Owner) -> Bool { left.order < right.order }

    private var order: (Int, String) {
        switch self {
        case .app(let appID): (0, appID)
        case .group(let group): (1, group)
        case .unnamed(let file): (2, file)
        }
    }
}
