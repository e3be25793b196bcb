package import DesktopSupport
package import Dispatch
package import SecretService

/// Reads the stored data of an app for tools that examine it. Uses no `Auth`, which would finish an interrupted switch,
/// and writes nothing.
package struct AppInspection {
    private let identity: AppIdentity
    private let journal: Journal
    private let slots: UserSlots
    private let machine: MachineName?

    /// Creates an inspection of an app with these options, on an existing store.
    ///
    /// - Throws: `invalidAppIdentifier` for a malformed project.
    package init(
        _ identity: AppIdentity,
        _ options: AuthApp.Options,
        store: any RecordStore
    ) throws(AuthError) {
        try Self.check(project: options.project)
        self.identity = identity
        machine = options.machine
        journal = Journal(
            in: Folder(options.stateDirectory ?? Journal.defaultDirectory),
            appID: identity.appID,
            project: options.project,
            instance: AuthApp.defaultName,
            machine: options.machine
        )
        slots = UserSlots(
            store: store,
            appID: identity.appID,
            project: options.project,
            instance: AuthApp.defaultName,
            machine: options.machine
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

    /// The path of the file with the access-group choice; nil if the choice is kept in memory.
    package var choicePath: String? { journal.path }

    /// Returns the access group in use; nil for the app's own slot.
    ///
    /// - Throws: `stateDirectoryUnusable` if the choice cannot be read; `invalidAccessGroup` or
    ///   `accessGroupNotDeclared` if the app may not use the chosen group.
    package func userAccessGroup(by deadline: Deadline = .after(.seconds(5))) throws(AuthError) -> String? {
        let slot = try journal.read(by: deadline).slot
        try identity.checkStoredChoice(of: slot, in: journal.path)
        return slot.groupName
    }

    /// Returns whether an access group, or with nil the app's own slot, has a record. Reads all of the record, and
    /// blocks until the store responds.
    ///
    /// - Throws: `recordDamaged`, `recordVersionUnsupported`, or an error of the store.
    package func hasRecord(inAccessGroup group: String?, by deadline: Deadline) throws(AuthError) -> Bool {
        try slots.read(group.map(Slot.group) ?? .own, by: deadline).revision != nil
    }

    /// Returns the accounts of an access group, or with nil of the app's own slot. Blocks until the store responds.
    ///
    /// - Throws: `recordDamaged`, `recordVersionUnsupported`, or an error of the store.
    package func accounts(inAccessGroup group: String?, by deadline: Deadline) throws(AuthError) -> [Account] {
        try slots.read(group.map(Slot.group) ?? .own, by: deadline).record.accounts
    }

    /// Returns whether another machine has written the record of an access group, or with nil that of the app's own slot,
    /// last. Blocks until the store responds.
    ///
    /// A record that is kept on a fleet is of all its machines.
    ///
    /// - Throws: as `accounts(inAccessGroup:by:)`.
    package func isOfOtherMachine(_ group: String?, by deadline: Deadline) throws(AuthError) -> Bool {
        let record = try slots.read(group.map(Slot.group) ?? .own, by: deadline).record
        guard record.fleet == nil, let writer = record.origin.machine, let machine else { return false }
        return writer != machine
    }

    /// Returns the error for an access group, or with nil for the app's own slot, whose user another keyring keeps; nil if
    /// it has a user, or none is known. Blocks until the store responds.
    ///
    /// - Throws: `recordDamaged`, `recordVersionUnsupported`, or an error of the store.
    package func change(of group: String?, by deadline: Deadline) throws(AuthError) -> AuthError? {
        let reader = SlotReader(slots: slots, journal: journal, observesOtherProcesses: false)
        do throws(AuthError) {
            _ = try reader.read(group.map(Slot.group) ?? .own, by: deadline)
            return nil
        } catch {
            guard error.code == .keyringChanged else { throw error }
            return error
        }
    }

    /// Returns the issuers of these accounts.
    ///
    /// - Throws: as `accounts(inAccessGroup:by:)`.
    package func issuers(inAccessGroup group: String?, by deadline: Deadline) throws(AuthError) -> [String] {
        try accounts(inAccessGroup: group, by: deadline).compactMap(\.knownIssuer)
    }

    /// Returns the user records of an access group, or with nil of the app's own slot, that were set aside, oldest
    /// first; an empty list if the store cannot tell. Blocks until the store responds.
    ///
    /// - Throws: an error of the store.
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

    /// Returns the holder of the lock on an access group's record, and the holder of the turn to exchange its users'
    /// tokens; with a nil group, those of the app's own slot. Each is nil if there is no holder, or if the store cannot
    /// tell. Blocks until the store responds.
    ///
    /// - Throws: an error of the store.
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

    /// Observes an access group, or with nil the app's own slot, for as long as the returned object is kept. Calls
    /// `report` on `queue`, which must be serial, with the first result and with each change.
    ///
    /// - Throws: `invalidAccessGroup` or `accessGroupNotDeclared` if the app may not use the group.
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

    /// Returns the display names of the keyring daemons that keep the user of the slot in use. Returns none if the
    /// present daemon is one of them, is unknown, or has a user there. Blocks until the store responds.
    ///
    /// - Throws: `recordDamaged`, `recordVersionUnsupported`, or an error of the store if it is unknown whether the
    ///   present daemon has a user there.
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
