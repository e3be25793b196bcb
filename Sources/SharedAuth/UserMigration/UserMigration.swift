/// Moves users from one slot to another for any number of apps, without an ``Auth`` of theirs: for migration scripts.
///
/// ```swift
/// let migration = try UserMigration(from: nil, to: "group.com.example.office", project: key)
/// for step in try migration.plan(for: .all) {
///     for outcome in migration.perform(step) { print(outcome.appID ?? "-", outcome.kind) }
/// }
/// ```
///
/// At every instant each user is in at least one slot, and the stored choice of each app is of one that holds its user. A process
/// that dies in the middle loses nobody: plan and perform again, or let the app start, and the step is finished. An app of the
/// moved users that runs meanwhile follows, and its listeners hear nothing. The migration cannot know which groups an app declares:
/// an app that finds an undeclared group as its choice uses no slot, and its calls throw `accessGroupNotDeclared`.
///
/// Calls block until the store answers. They may be made from any thread, one at a time.
public struct UserMigration: Sendable {
    /// The apps that a migration is for.
    @frozen
    public enum Apps: Sendable, Hashable {
        /// Those of these ids.
        case named([String])
        /// From the own slots, every app that has a user there; from a group, every app whose stored choice it is. Those that
        /// have chosen the target already count as moved before.
        case all
    }

    /// How a migration is carried out.
    enum Course {
        /// From outside, for any number of apps: each has a time of its own, and what is not ended is pending.
        case outside
        /// By the app, whose user it is: whole or not at all, and all of it by this moment.
        case running(Deadline)
        /// By the app, of which an earlier process was interrupted: nothing is copied that is not at the target
        /// already, and nothing taken back.
        case resumed(Deadline)
    }

    /// The access group that users leave; nil for apps' own slots.
    public let source: String?
    /// The access group that users come to; nil for apps' own slots.
    public let target: String?
    /// What becomes of a user whose target has another current user.
    public let policy: MigrationPolicy

    let project: String
    let instance: String
    let store: any RecordStore
    let directories: StateDirectories
    let timeout: Duration
    let course: Course
    /// Whether a user who is replaced stays as a second account.
    let keepsOtherUsers: Bool

    var from: Slot { source.map(Slot.group) ?? .own }
    var to: Slot { target.map(Slot.group) ?? .own }

    func slots(of appID: String?) -> UserSlots {
        UserSlots(store: store, appID: appID ?? "", project: project, instance: instance)
    }

    /// What the target holds once these users have come there.
    ///
    /// - Throws: `accessGroupOccupied` where the policy lets nobody in.
    func merge(_ users: UserRecord, into present: UserRecord) throws(AuthError) -> AccountMerge {
        try AccountMerge(users, into: present, ifOccupied: policy, keepingOthers: keepsOtherUsers, in: to)
    }
}

extension UserMigration {
    /// Describes a migration; nothing is read yet.
    ///
    /// - Parameters:
    ///   - source: the access group that users leave; nil for apps' own slots.
    ///   - target: the access group that users come to; nil for apps' own slots.
    ///   - project: the project of the apps.
    ///   - store: where the apps keep their users.
    ///   - stateDirectories: where the apps keep their choices.
    ///   - policy: what becomes of a user whose target has another current user.
    ///   - timeout: how long each step may take for each app, and the plan.
    /// - Throws: `invalidAccessGroup` for a malformed group, or one that is source and target; `invalidAppIdentifier` for a
    ///   malformed project.
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
    /// What is moved at a time: the users of one slot, and the apps that use it.
    public struct Step: Sendable {
        /// The apps whose stored choice is to be the target; none for a group that no known app has chosen.
        public var appIDs: [String] { apps.map(\.id) }
        /// The user who is to be moved, as the plan found them; nil if there is none, or the record cannot be read.
        public let uid: String?
        let apps: [AppPlace]
        /// What the source held when the plan was made.
        let found: Result<SlotContents, AuthError>
        /// What the targets of the apps held then, as far as it could be read.
        let targets: [String: UserRecord]
        let isRead: ContinuousClock.Instant
        /// The apps that use the source, too, and are not to be moved.
        let staying: [String]
        /// Of these, the apps because of which the originals stay: they may have brought the users themselves.
        package let sharing: [String]
        /// The apps that used the target when the plan was made.
        let residents: [String]
        let selection: Selection
        /// Adds what an app that runs knows of the source, and has not saved there.
        var seen: @Sendable (SlotContents) -> SlotContents = { $0 }
    }

    /// The users of a slot that a step moves.
    package struct Selection: Sendable {
        /// Names the users, an account of an earlier version without its issuer; nil: all.
        package var accounts: [AccountID]?
        /// Names the users whose originals stay in the source.
        package var kept: [AccountID]
        /// The apps that may use the source and have not brought the users.
        package var otherAppIDs: Set<String>
        /// Whether the apps go to the target, and no user.
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

        /// Whether the original of an account stays.
        func keeps(_ id: AccountID) -> Bool { kept.contains { $0.mayMean(id) } }

        /// The users of the source who are moved.
        func moved(of source: UserRecord) -> UserRecord {
            guard let accounts else { return source }
            return source.removing(source.accounts.map(\.id).filter { id in !accounts.contains { $0.mayMean(id) } })
        }

        /// The users of the source whose originals are deleted.
        func leaving(_ source: UserRecord) -> UserRecord {
            let moved = moved(of: source)
            return moved.removing(moved.accounts.map(\.id).filter(keeps))
        }
    }

    /// What has become of a user in a step, for one app.
    public struct Outcome: Sendable {
        /// The outcome in one word.
        public enum Kind: String, Sendable, CaseIterable {
            /// The user is at the target, and so is the app's stored choice.
            case moved
            /// The user was at the target before.
            case alreadyThere = "already-there"
            /// Another user is at the target, and the app has joined them there: the user stays where they were.
            case joined
            /// There was no user to move.
            case nothing
            /// Another user is at the target, or the app uses another slot, or other apps need the source: nothing changed.
            case conflict
            /// Another user is at the target, and the policy is to skip: nothing changed.
            case skipped
            /// The move was begun, and could be neither ended nor taken back: the app's next start ends it, and so does another run. The
            /// error says why.
            case pending
            /// The error says why, and what the state is now.
            case failed
        }

        /// The app; nil for a group that no known app has chosen.
        public let appID: String?
        /// The user, if it is known who: of several the current one, else the first.
        public let uid: String?
        /// All users whom the step moves, or would move.
        public var uids: [String] { accounts.map(\.uid) }
        package internal(set) var accounts: [AccountID] = []
        /// What has become of the user.
        public let kind: Kind
        /// Why the user is not where they should be.
        public let error: AuthError?
        /// Whose session was removed at the target.
        public internal(set) var replacedUID: String?
        /// Those of `uids` who had a session at the target before.
        public var uidsAtTarget: [String] { accountsAtTarget.map(\.uid) }
        package internal(set) var accountsAtTarget: [AccountID] = []
        /// The apps that used the target before.
        package internal(set) var appsAtTarget: [String] = []
        /// Whether the user had a session at the target before.
        public var wasAtTarget: Bool { uid.map(uidsAtTarget.contains) ?? false }
    }
}

extension UserMigration {
    /// Finds out whom there is to move; writes nothing.
    ///
    /// - Throws: `invalidAppIdentifier` for a malformed app id, `keyringLocked`, or another error of the store.
    public func plan(for apps: Apps) throws(AuthError) -> [Step] { try plan(for: apps, Selection()) }

    /// As the public form, for some users of the source alone.
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

    /// One step for all apps that have chosen the group.
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

    /// - Throws: `keychainError` where all apps with a user are wanted, and the store cannot list them.
    private func ids(for apps: Apps, _ listing: Listing) throws(AuthError) -> [String] {
        switch apps {
        case .named(let ids):
            var seen: Set<String> = []
            return ids.filter { seen.insert($0).inserted }
        case .all:
            let known = directories.appIDs(project, instance)
            // An app with a user in its own slot need not ever have been in the group.
            let residents = listing.residents.filter { listing.user(in: to, appID: $0) != nil }
            var ids = Set(residents)
            if from == .own {
                if !listing.isComplete {
                    throw AuthError(
                        .keychainError,
                        "This store cannot list its records, so that not all apps with a user can be found.",
                        remedy: "Name the apps."
                    )
                }
                // Those whose place does not say whose it is are found by the apps that are known.
                ids.formUnion(listing.appIDs)
                ids.formUnion(known.filter { listing.user(in: .own, appID: $0) != nil })
            } else {
                ids.formUnion(known.filter { hasChosen(from, $0) })
            }
            return ids.sorted()
        }
    }

    /// Whether a stored choice of an app is this slot; one that cannot be read may be any.
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
            isRead: .now,
            staying: selection.accounts == nil ? staying : [],
            sharing: sharing,
            residents: listing.residents,
            selection: selection
        )
    }
}

/// What all slots of a project hold, read together where the store can.
private struct Listing {
    private let migration: UserMigration
    /// The records that say whose they are; nil where the store cannot list what it has.
    private var contents: [RecordKey: Result<SlotContents, AuthError>]?
    private var unnamed: [ListedRecord] = []
    /// The apps that have chosen the target, where that is a group.
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

    /// Whether the store lists what it has.
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

    /// Who is in a slot, as far as it can be read.
    func user(in slot: Slot, appID: String?) -> String? {
        (try? contents(of: slot, appID: appID))?.record.mainUID
    }
}
