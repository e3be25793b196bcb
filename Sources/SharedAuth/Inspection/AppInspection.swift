package import DesktopSupport
package import Dispatch
package import SecretService

/// What an app has stored, for tools that examine it: read without an `Auth`, which would finish what an interrupted switch
/// has left to do. Nothing here writes.
package struct AppInspection {
    private let identity: AppIdentity
    private let journal: Journal
    private let slots: UserSlots

    /// Looks at an app with these options, on a store that was made before.
    ///
    /// - Throws: `invalidAppIdentifier` for a malformed project.
    package init(
        _ identity: AppIdentity,
        _ options: AuthApp.Options,
        store: any RecordStore
    ) throws(AuthError) {
        try Self.check(project: options.project)
        self.identity = identity
        journal = Journal(
            directory: options.stateDirectory ?? Journal.defaultDirectory,
            appID: identity.appID,
            project: options.project,
            instance: AuthApp.defaultName
        )
        slots = UserSlots(
            store: store,
            appID: identity.appID,
            project: options.project,
            instance: AuthApp.defaultName
        )
    }

    /// Checks the name of a project.
    ///
    /// - Throws: `invalidAppIdentifier`.
    package static func check(project: String) throws(AuthError) {
        if let flaw = Identifier.flaw(in: project, leastComponents: 1) {
            throw AuthError(.invalidAppIdentifier, "The project \(project.quotedName) \(flaw).")
        }
    }

    /// The file with the choice of access group; nil if it is kept in memory.
    package var choicePath: String? { journal.path }

    /// The access group in use; nil for the app's own slot.
    ///
    /// - Throws: `stateDirectoryUnusable` for a choice that cannot be read, `invalidAccessGroup` or `accessGroupNotDeclared` for
    ///   one that the app may not use.
    package func userAccessGroup(by deadline: Deadline = .after(.seconds(5))) throws(AuthError) -> String? {
        let slot = try journal.read(by: deadline).slot
        try identity.checkStoredChoice(of: slot, in: journal.path)
        return slot.groupName
    }

    /// Whether there is a record in an access group, or with nil in the app's own slot, after reading all of it. Blocks until
    /// the store answers.
    ///
    /// - Throws: `recordDamaged`, `recordVersionUnsupported`, or what the store reports.
    package func hasRecord(inAccessGroup group: String?, by deadline: Deadline) throws(AuthError) -> Bool {
        try slots.read(group.map(Slot.group) ?? .own, by: deadline).revision != nil
    }

    /// Who issued the accounts of an access group, or with nil of the app's own slot. Blocks until the store answers.
    ///
    /// - Throws: `recordDamaged`, `recordVersionUnsupported`, or what the store reports.
    package func issuers(inAccessGroup group: String?, by deadline: Deadline) throws(AuthError) -> [String] {
        try slots.read(group.map(Slot.group) ?? .own, by: deadline).record.accounts.compactMap(\.knownIssuer)
    }

    /// What was set aside of the users of an access group, or with nil of the app's own slot, oldest first; nothing where the store
    /// does not know. Blocks until the store answers.
    ///
    /// - Throws: what the store reports.
    package func setAsideRecords(
        inAccessGroup group: String?,
        by deadline: Deadline
    ) throws(AuthError) -> [SetAsideRecord] {
        guard let store = slots.store as? any RecordListing else { return [] }
        let slot = group.map(Slot.group) ?? .own
        let key = try slots.key(slot)
        do {
            return try store.setAsideRecords(of: key, by: deadline)
        } catch {
            throw AuthError(error, in: slot)
        }
    }

    /// Who has the turn to change an access group's record, or with nil that of the app's own slot, and who has the turn to exchange its
    /// users' tokens; each nil if nobody has, or the store cannot tell. Blocks until the store answers.
    ///
    /// - Throws: what the store reports.
    package func holders(
        inAccessGroup group: String?,
        by deadline: Deadline
    ) throws(AuthError) -> (ofRecord: LockWait.Holder?, ofTokens: LockWait.Holder?) {
        guard let store = slots.store as? any LockInspection else { return (nil, nil) }
        let slot = group.map(Slot.group) ?? .own
        let key = try slots.key(slot)
        do throws(RecordStoreError) {
            return (
                try store.holder(of: "lock", for: key, by: deadline),
                try store.holder(of: "refresh", for: key, by: deadline)
            )
        } catch {
            throw AuthError(error, in: slot)
        }
    }

    /// Observes an access group, or with nil the app's own slot, for as long as the answer is kept: `report` is called on
    /// `queue`, which is a serial one, with what is found first and with each change.
    ///
    /// - Throws: `invalidAccessGroup` or `accessGroupNotDeclared` for a group that the app may not use.
    package func watch(
        accessGroup group: String?,
        timeout: Duration,
        on queue: DispatchQueue,
        _ report: @escaping @Sendable (SlotReport) -> Void
    ) throws(AuthError) -> SlotWatch {
        if let group { _ = try identity.accessGroup(named: group) }
        let slot = group.map(Slot.group) ?? .own
        let reader = SlotReader(slots: slots, journal: journal, observesOtherProcesses: true)
        return SlotWatch(of: slot, in: slots, reader: reader, timeout: timeout, on: queue, report)
    }

    /// What people call the keyring daemons that keep the user of the slot in use; none if the present one is one of
    /// them, is not known, or has a user there. Blocks until the store answers.
    ///
    /// - Throws: `recordDamaged`, `recordVersionUnsupported`, or what the store reports, where it is not known whether
    ///   it has.
    package func formerDaemons(besides present: KeyringDaemon, by deadline: Deadline) throws(AuthError) -> [String] {
        let former = journal.formerKeepers(
            besides: present.programName.map(KeyringDaemon.Kind.init(program:)),
            by: deadline
        )
        if former.isEmpty { return [] }
        return try hasRecord(inAccessGroup: journal.read(by: deadline).slot.groupName, by: deadline)
            ? [] : former.compactMap(\.name)
    }
}
