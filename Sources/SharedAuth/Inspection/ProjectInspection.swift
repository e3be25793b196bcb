package import FoundationEssentials

/// What all apps of a project have stored, for tools that look at it: read without an `Auth`. Nothing here writes.
package struct ProjectInspection {
    private let project: String
    private let store: any RecordStore

    /// Looks at a project on a store that was made before.
    ///
    /// - Throws: `invalidAppIdentifier` for a malformed project.
    package init(project: String, store: any RecordStore) throws(AuthError) {
        try AppInspection.check(project: project)
        self.project = project
        self.store = store
    }

    /// The slots in which anything is stored, or of these only, sorted. Blocks until the store answers.
    ///
    /// A file of an earlier version does not name its slot. It is listed without a name, unless its slot is one of those that
    /// are asked for.
    ///
    /// - Parameter owners: the slots that are asked for; nil: all.
    /// - Throws: `keyringLocked` if some of it can be locked away, and what else the store reports.
    package func slots(of owners: [ListedSlot.Owner]? = nil, by deadline: Deadline) throws(AuthError) -> [ListedSlot] {
        try records(ofInstance: AuthApp.defaultName, by: deadline)
            .compactMap { slot(of: $0, among: owners) }
            .sorted { $0.owner < $1.owner }
    }

    private func records(ofInstance instance: String, by deadline: Deadline) throws(AuthError) -> [ListedRecord] {
        try store.listUserRecords(ofProject: project, instance: instance, by: deadline)
    }

    /// What a record says of its slot; nil if it is none, or none that is asked for.
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

    /// Whether a file that does not name its slot may be one of this project; it can be a record of any kind and project.
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
    /// The accounts in all slots of the project that can be read, whatever the name of the `AuthApp` is. Blocks until the store
    /// answers.
    ///
    /// - Throws: what the store reports of all of them.
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

/// What is stored in one slot.
package struct ListedSlot: Sendable {
    /// Whose slot it is.
    package enum Owner: Sendable, Hashable {
        /// An app's own.
        case app(String)
        /// That of an access group.
        case group(String)
        /// Not known; the record is in a file of this name.
        case unnamed(String)
    }

    /// What the record says.
    package enum Content: Sendable {
        /// There is none; only copies that were set aside are left.
        case nothing
        /// Who is signed in, and what else it holds.
        case accounts(UserRecord)
        /// It cannot be read; the text says why.
        case damaged(String)
        /// It is of a format that is newer than this library; the text says which.
        case newer(String)
    }

    /// Whose slot it is.
    package let owner: Owner
    /// What the record says.
    package let content: Content
    /// How many bytes it takes in the store.
    package let size: Int
    /// When it was last written; nil if the store does not know.
    package let modified: Date?
    /// How many more items are in its place besides the one that counts.
    package let duplicates: Int
    /// What was set aside of it, oldest first.
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
    /// Apps come first, then groups, then what has no name; each in the order of the names.
    package static func < (left: ListedSlot.Owner, right: ListedSlot.Owner) -> Bool { left.order < right.order }

    private var order: (Int, String) {
        switch self {
        case .app(let appID): (0, appID)
        case .group(let group): (1, group)
        case .unnamed(let file): (2, file)
        }
    }
}
