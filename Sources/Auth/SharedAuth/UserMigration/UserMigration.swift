/// Moves users from one slot to another for any number of apps, without an ``Auth``. For migration scripts.
///
/// ```swift
/// let migration = try UserMigration(from: nil, to: "group.com.example.office", project: key)
/// for step in try migration.plan(for: .all) {
///     for outcome in migration.perform(step) { print(outcome.appID ?? "-", outcome.kind) }
/// }
/// ```
///
/// At every instant each user is in at least one slot, and each app's stored choice names a slot that holds its user.
/// If a process dies during a migration, no user is lost: plan and perform again, or start the app, and the step is
/// finished. A running app with moved users follows, and its listeners are not called. The migration cannot know which
/// groups an app declares: an app whose stored choice is an undeclared group uses no slot, and its calls throw
/// `accessGroupNotDeclared`.
///
/// Calls block until the store responds or the time limit passes. They may be made from any thread, one at a time.
public struct UserMigration: Sendable {
    /// The apps that a migration covers.
    @frozen
    public enum Apps: Sendable, Hashable {
        /// The apps with these ids.
        case named([String])
        /// From the apps' own slots: every app that has a user there. From a group: every app that has chosen it.
        /// Apps that have already chosen the target count as moved before.
        case all
    }

    /// The way in which a migration is carried out.
    enum Course {
        /// From outside, for any number of apps. Each app has a separate time limit, and an unfinished move is pending.
        case outside
        /// By the app of the user: whole or not at all, and by this deadline.
        case running(Deadline)
        /// By an app of which an earlier process was interrupted. Users that are not at the target yet are not copied,
        /// and nothing is taken back.
        case resumed(Deadline)
    }

    /// The access group that users leave; nil for the apps' own slots.
    public let source: String?
    /// The access group that users move to; nil for the apps' own slots.
    public let target: String?
    /// The policy for a user whose target has another current user.
    public let policy: MigrationPolicy

    let project: String
    let instance: String
    let store: any RecordStore
    let directories: StateDirectories
    let timeout: Duration
    let course: Course
    /// True if a replaced user stays as a second account.
    let keepsOtherUsers: Bool

    var from: Slot { source.map(Slot.group) ?? .own }
    var to: Slot { target.map(Slot.group) ?? .own }

    func slots(of appID: String?) -> UserSlots {
        UserSlots(store: store, appID: appID ?? "", project: project, instance: instance)
    }

    /// Returns the record of the target after these users have moved there.
    ///
    /// - Throws: `accessGroupOccupied` if the policy does not admit the users.
    func merge(_ users: UserRecord, into present: UserRecord) throws(AuthError) -> AccountMerge {
        try AccountMerge(users, into: present, ifOccupied: policy, keepingOthers: keepsOtherUsers, in: to)
    }
}

extension UserMigration {
    /// Creates a migration; nothing is read yet.
    ///
    /// - Parameters:
    ///   - source: the access group that users leave; nil for the apps' own slots.
    ///   - target: the access group that users move to; nil for the apps' own slots.
    ///   - project: the project of the apps.
    ///   - store: the store of the apps' users.
    ///   - stateDirectories: the directories of the apps' choices.
    ///   - policy: the policy for a user whose target has another current user.
    ///   - timeout: the time limit of the plan, and of each step for each app.
    /// - Throws: `invalidAccessGroup` for a malformed group, or if source and target are the same;
    ///   `invalidAppIdentifier` for a malformed project.
    public init(
        from source: String?,
        to target: String?,
        project: String = "default",
        store: RecordStoreFactory = .secretService(),
        stateDirectories: StateDirectories = StateDirectories(),
        ifOccupied policy: MigrationPolicy = .fail,
        timeout: Duration = .seconds(5)
    ) throws(AuthError) {
        for group in [source, target].compactMap(\.self) { _ = try AccessGroup(group) }
        try AppInspection.check(project: project)
        if source == target {
            throw AuthError(
                .invalidAccessGroup,
                "\((source.map(Slot.group) ?? .own).description.capitalizedFirst) is both source and target.",
                remedy: "Name two different ones."
            )
        }
        self.init(
            source: source,
            target: target,
            policy: policy,
            project: project,
            instance: AuthApp.defaultName,
            store: store.make(),
            directories: stateDirectories,
            timeout: timeout,
            course: .outside,
            keepsOtherUsers: false
        )
    }
}

extension UserMigration {
    /// A unit of a migration: the users of one slot, and the apps that use it.
    public struct Step: Sendable {
        /// The apps whose stored choice becomes the target; empty for a group that no known app has chosen.
        public var appIDs: [String] { apps.map(\.id) }
        /// The user to move, as the plan found them; nil if there is no user, or if the record cannot be read.
        public let uid: String?
        let apps: [AppPlace]
        /// The contents of the source when the plan was made.
        let found: Result<SlotContents, AuthError>
        /// The records of the apps' targets at that time, as far as they could be read.
        var targets: [String: UserRecord] = [:]
        let isRead = ContinuousClock.now
        /// The apps that also use the source and are not moved.
        var staying: [String] = []
        /// The staying apps that keep the originals in place: they may have brought the users themselves.
        package var sharing: [String] = []
        /// The apps that used the target when the plan was made.
        var residents: [String] = []
        let selection: Selection
        /// Adds a running app's unsaved knowledge of the source.
        var seen: @Sendable (SlotContents) -> SlotContents = { $0 }
    }

    /// The users of a slot that a step moves.
    package struct Selection: Sendable {
        /// The users to move, with no issuer for an account of an earlier version; nil for all.
        package var accounts: [AccountID]?
        /// The users whose originals stay in the source.
        package var kept: [AccountID]
        /// The apps that may use the source and have not brought the users.
        package var otherAppIDs: Set<String>
        /// True if the apps move to the target without users.
        package let isOfNobody: Bool

        package init(
            _ accounts: [AccountID]? = nil,
            keeping kept: [AccountID] = [],
            otherAppIDs: Set<String> = []
        ) {
            self.accounts = accounts
            self.kept = kept
            self.otherAppIDs = otherAppIDs
            isOfNobody = accounts?.isEmpty ?? false
        }

        /// Returns whether the original of an account stays.
        func keeps(_ id: AccountID) -> Bool { kept.contains { $0.mayMean(id) } }

        /// Returns the users of the source that are moved.
        func moved(of source: UserRecord) -> UserRecord {
            guard let accounts else { return source }
            return source.removing(source.accounts.map(\.id).filter { id in !accounts.contains { $0.mayMean(id) } })
        }

        /// Returns the users of the source whose originals are deleted.
        func leaving(_ source: UserRecord) -> UserRecord {
            let moved = moved(of: source)
            return moved.removing(moved.accounts.map(\.id).filter(keeps))
        }
    }

    /// The outcome of a step for a user and one app.
    public struct Outcome: Sendable {
        /// The kind of an outcome, in one word.
        public enum Kind: String, Sendable, CaseIterable {
            /// The user and the app's stored choice are at the target.
            case moved
            /// The user was already at the target.
            case alreadyThere = "already-there"
            /// Another user is at the target, and the app has joined them there; the user stays in the source.
            case joined
            /// There was no user to move.
            case nothing
            /// Another user is at the target, or the app uses another slot, or other apps need the source. Nothing
            /// changed.
            case conflict
            /// Another user is at the target, and the policy is to skip. Nothing changed.
            case skipped
            /// The move has begun, and could be neither finished nor taken back. The app's next start finishes it, and
            /// so does another run. The error gives the reason.
            case pending
            /// The move failed. The error gives the reason and the present state.
            case failed
        }

        /// The app; nil for a group that no known app has chosen.
        public let appID: String?
        /// The user, if known; of several users the current one, else the first.
        public let uid: String?
        /// All users that the step moves, or would move.
        public var uids: [String] { accounts.map(\.uid) }
        package internal(set) var accounts: [AccountID] = []
        /// The kind of the outcome.
        public let kind: Kind
        /// The reason why the user is not in the expected slot.
        public let error: AuthError?
        /// The user whose session was removed at the target.
        public internal(set) var replacedUID: String?
        /// The users of `uids` that already had a session at the target.
        public var uidsAtTarget: [String] { accountsAtTarget.map(\.uid) }
        package internal(set) var accountsAtTarget: [AccountID] = []
        /// The apps that used the target before.
        package internal(set) var appsAtTarget: [String] = []
        /// Indicates whether the user already had a session at the target.
        public var wasAtTarget: Bool { uid.map(uidsAtTarget.contains) ?? false }
    }
}

extension UserMigration {
    /// Finds the users to move; writes nothing.
    ///
    /// - Throws: `invalidAppIdentifier` for a malformed app id, `keyringLocked`, or another error of the store.
    public func plan(for apps: Apps) throws(AuthError) -> [Step] { try plan(for: apps, Selection()) }

    /// Plans as the public form does, for some users of the source only.
    package func plan(for apps: Apps, _ selection: Selection) throws(AuthError) -> [Step] {
        if case .named(let ids) = apps {
            for id in ids { _ = try AppIdentity(appID: id) }
        }
        var listing = try Listing(self)
        if to != .own { listing.residents = directories.appIDs(project, instance).filter { hasChosen(to, $0) } }
        switch from {
        case .own: return try ids(for: apps, listing).map { id in step([place(id)], listing, selection) }
        case .group: return try groupSteps(for: apps, listing, selection)
        }
    }

    /// Returns one step for all apps that have chosen the group.
    private func groupSteps(
        for apps: Apps,
        _ listing: Listing,
        _ selection: Selection
    ) throws(AuthError) -> [Step] {
        let places = try ids(for: apps, listing).map(place)
        let staying = directories.appIDs(project, instance)
            .filter { id in !places.contains { $0.id == id } && hasChosen(from, id) }
        let isEmpty = (try? listing.contents(of: from, appID: nil))?.record.accounts.isEmpty ?? false
        if places.isEmpty, isEmpty { return [] }
        var selection = selection
        var sharing: [String] = []
        if let accounts = selection.accounts {
            sharing = staying.filter { !selection.otherAppIDs.contains($0) }
            if !sharing.isEmpty { selection.kept = accounts }
        }
        return [step(places, listing, staying: staying, sharing: sharing, selection)]
    }

    /// - Throws: `keychainError` if all apps with a user are requested, and the store cannot list its records.
    private func ids(for apps: Apps, _ listing: Listing) throws(AuthError) -> [String] {
        switch apps {
        case .named(let ids):
            var seen: Set<String> = []
            return ids.filter { seen.insert($0).inserted }
        case .all:
            let known = directories.appIDs(project, instance)
            // An app with a user in its own slot may never have been in the group.
            let residents = listing.residents.filter { listing.user(in: to, appID: $0) != nil }
            var ids = Set(residents)
            if from == .own {
                if !listing.isComplete {
                    throw AuthError(
                        .keychainError,
                        "This store cannot list its records, so the apps with a user cannot all be found.",
                        remedy: "Name the apps."
                    )
                }
                // Records that do not name their owner are found through the known apps.
                ids.formUnion(listing.appIDs)
                ids.formUnion(known.filter { listing.user(in: .own, appID: $0) != nil })
            } else {
                ids.formUnion(known.filter { hasChosen(from, $0) })
            }
            return ids.sorted()
        }
    }

    /// Returns whether a stored choice of an app is this slot. A choice that cannot be read may be any slot.
    private func hasChosen(_ slot: Slot, _ appID: String) -> Bool {
        directories.journals(of: appID, project, instance).contains { journal in
            (try? journal.read(by: .after(timeout)).slot).map { $0 == slot } ?? true
        }
    }

    private func place(_ id: String) -> AppPlace {
        AppPlace(id: id, slots: slots(of: id), journals: directories.journals(of: id, project, instance))
    }

    private func step(
        _ apps: [AppPlace],
        _ listing: Listing,
        staying: [String] = [],
        sharing: [String] = [],
        _ selection: Selection
    ) -> Step {
        let found = Result { () throws(AuthError) in try listing.contents(of: from, appID: apps.first?.id) }
        return Step(
            uid: (try? found.get()).flatMap { selection.moved(of: $0.record).mainUID },
            apps: apps,
            found: found,
            targets: apps.reduce(into: [:]) { $0[$1.id] = (try? listing.contents(of: to, appID: $1.id))?.record },
            staying: selection.accounts == nil ? staying : [],
            sharing: sharing,
            residents: listing.residents,
            selection: selection
        )
    }
}

/// The contents of all slots of a project, read together if the store can list its records.
private struct Listing {
    private let migration: UserMigration
    /// The records that name their owner; nil if the store cannot list its records.
    private var contents: [RecordKey: Result<SlotContents, AuthError>]?
    private var unnamed: [ListedRecord] = []
    /// The apps that have chosen the target, if it is a group.
    var residents: [String] = []

    init(_ migration: UserMigration) throws(AuthError) {
        self.migration = migration
        guard migration.store is any RecordListing else { return }
        let listed: [ListedRecord]
        do throws(RecordStoreError) {
            listed = try migration.store.listRecords(
                ofProject: migration.project,
                instance: migration.instance,
                kind: UserSlots.recordKind,
                by: .after(migration.timeout)
            )
        } catch {
            throw AuthError(error, in: migration.from)
        }
        unnamed = listed.filter { $0.key == nil }
        contents = listed.reduce(into: [:]) { contents, record in
            guard let key = record.key else { return }
            let slot: Slot = if case .group(let group) = key.scope { .group(group) } else { .own }
            contents[key] = Result { () throws(AuthError) in try SlotContents(record.stored, in: slot) }
        }
    }

    /// Indicates whether the store lists its records.
    var isComplete: Bool { contents != nil }

    /// The apps that have a record in their own slots.
    var appIDs: [String] {
        (contents ?? [:]).compactMap { key, found in
            if let found = try? found.get(), found.revision == nil { return nil }
            return if case .app(let id) = key.scope { id } else { nil }
        }
    }

    func contents(of slot: Slot, appID: String?) throws(AuthError) -> SlotContents {
        let slots = migration.slots(of: appID)
        guard let contents else { return try slots.read(slot, by: .after(migration.timeout)) }
        let key = try slots.key(slot)
        if let found = contents[key] { return try found.get() }
        guard let record = unnamed.first(where: { $0.isRecord(of: key) }) else { return SlotContents() }
        return try SlotContents(record.stored, in: slot)
    }

    /// Returns the user in a slot, if the slot can be read.
    func user(in slot: Slot, appID: String?) -> String? {
        (try? contents(of: slot, appID: appID))?.record.mainUID
    }
}
