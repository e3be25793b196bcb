internal import SecretService

extension UserMigration {
    /// Hands over a session before it is removed; what it throws keeps the session there.
    public typealias SaveReplaced = (ReplacedSession) throws(AuthError) -> Void

    /// Performs a step: copies the users and reads the copy back, stores the apps' choices, and deletes the originals.
    ///
    /// A step that fails before the choice of an app was stored is taken back. Nothing is thrown: each app has its outcome.
    /// - Parameters:
    ///   - step: a step of a plan of this migration.
    ///   - save: receives each session that the policy `replace` is about to remove, while the slot is locked: it may not use the
    ///     store. What it throws is the outcome's error, and nothing changes.
    public func perform(_ step: Step, savingReplaced save: SaveReplaced = { _ in }) -> [Outcome] {
        var move = SlotMove(migration: self, step: step)
        return move.run(save)
    }
}

/// One step of a migration, on its way.
///
/// Locks are those of single updates, which the bus grants while the read within them is on its way: they cost no wait of their
/// own. None is held across the step, so that a running app that refreshes its tokens meanwhile is not held up; every update checks
/// the revision it goes by, and what has changed is copied anew.
struct SlotMove {
    private typealias Outcome = UserMigration.Outcome

    let migration: UserMigration
    let step: UserMigration.Step
    /// The copies that were made, one for each slot that is a target.
    private var copies: [SlotCopy] = []
    /// Whether an earlier run died when all was done but the deletion: the users may have signed out at the target since.
    private var isOnlyDeletionLeft = false

    /// How often a step begins again because somebody changes what it copies.
    private static let attempts = 3
    /// How old a plan may be for its contents to be copied without another look.
    private static let freshness = Duration.seconds(5)

    init(migration: UserMigration, step: UserMigration.Step) {
        self.migration = migration
        self.step = step
    }

    var from: Slot { migration.from }
    var to: Slot { migration.to }
    private var deadline: Deadline { .after(migration.timeout) }
    private var sourceSlots: UserSlots { step.apps.first?.slots ?? migration.slots(of: nil) }

    // MARK: All apps of the step

    mutating func run(_ save: UserMigration.SaveReplaced) -> [UserMigration.Outcome] {
        var contents: SlotContents
        do throws(AuthError) {
            contents = try source()
        } catch {
            return appIDs.map { outcome($0, step.uid, error) }
        }
        let leaving = contents.record.only(step.extent.uids)
        let uid = leaving.mainUID
        if leaving.accounts.isEmpty { return step.apps.map(absent) }
        if let error = refusal(for: leaving) { return appIDs.map { outcome($0, uid, error) } }
        let isDurable: Bool
        do throws(RecordStoreError) {
            isDurable = try migration.store.isDurableOnAcknowledge(by: deadline)
        } catch {
            return appIDs.map { outcome($0, uid, AuthError(error, in: to)) }
        }
        var results: [Result<Bool, AuthError>] = []
        let apps: [UserMigration.AppPlace?] = step.apps.isEmpty ? [nil] : step.apps
        isOnlyDeletionLeft = hasBegunDeletion(at: contents.revision)
        let residents = Set(step.apps.filter(isResident).map(\.id))
        for app in apps {
            let isLast = results.count == apps.count - 1 && results.allSatisfy { (try? $0.get()) != nil }
            results.append(
                Result { () throws(AuthError) in
                    try bring(app, &contents, isLast: isLast, isDurable, save)
                }
            )
        }
        let isEverybodyThere = results.allSatisfy { (try? $0.get()) != nil }
        var failure: AuthError?
        var isDeleted = false
        let isCopied = !copies.isEmpty || isOnlyDeletionLeft
        if isEverybodyThere, isDurable, isCopied, !step.extent.keepsOriginals {
            do throws(AuthError) {
                try deleteOriginals(&contents)
                isDeleted = true
            } catch {
                failure = .leftBehind(error, in: from)
            }
        }
        return zip(apps, results).map { app, result in
            do throws(AuthError) {
                let isChanged = try result.get() || isDeleted
                let isResident = app.map { residents.contains($0.id) } ?? false
                if isResident, to == .own, let app { return try outcomeAtHome(app, uid) }
                var outcome = outcome(app?.id, uid, failure, isChanged && !isResident ? .moved : .alreadyThere)
                let copy = copy(for: app)
                outcome.replacedUID = copy?.removed?.uid
                outcome.wasAtTarget = uid.flatMap { copy?.held($0) } ?? false
                return outcome
            } catch {
                return outcome(app?.id, uid, error)
            }
        }
    }

    var appIDs: [String?] { step.apps.isEmpty ? [nil] : step.apps.map(\.id) }

    /// Whether what the plan has read was read not long ago.
    private var isFresh: Bool { ContinuousClock.now - step.isRead < Self.freshness }

    /// What the source holds.
    func source() throws(AuthError) -> SlotContents {
        isFresh ? try step.found.get() : try sourceSlots.read(from, by: deadline)
    }

    /// Who is where an app is to find its user.
    func userAtTarget(of app: UserMigration.AppPlace) throws(AuthError) -> String? {
        isFresh ? step.usersAtTarget[app.id] : try app.slots.read(to, by: deadline).record.mainUID
    }

    /// Why nobody may be moved.
    func refusal(for leaving: UserRecord) -> AuthError? {
        if !step.staying.isEmpty {
            let names = step.staying.prefix(3).joined(separator: ", ") + (step.staying.count > 3 ? " and others" : "")
            return AuthError(
                .conflict,
                "\(from.description.capitalizedFirst) is in use by \(names), too, and would be empty for them.",
                remedy: "Move all apps that use it together."
            )
        }
        if step.apps.isEmpty, to == .own {
            return AuthError(
                .conflict,
                "No known app has chosen \(from.description), so that there is no own slot to move to."
            )
        }
        return nil
    }

    /// The outcome for an app whose source is empty.
    private func absent(_ app: UserMigration.AppPlace) -> UserMigration.Outcome {
        do throws(AuthError) {
            let standing = try app.standing(from: from, to: to)
            let there = standing == .atTarget ? try userAtTarget(of: app) : nil
            for journal in app.journals {
                for step in try journal.read().steps where isDone(step) { journal.noteEnded(step, by: deadline) }
            }
            return outcome(app.id, there, nil, there == nil ? .nothing : .alreadyThere)
        } catch {
            return outcome(app.id, nil, error)
        }
    }

    /// Whether all apps have the target's choice, and one still has to delete what the source holds.
    private func hasBegunDeletion(at revision: Revision?) -> Bool {
        guard let revision, !step.apps.isEmpty else { return false }
        let choices = step.apps.flatMap(\.journals).map { try? $0.read() }
        return choices.allSatisfy { $0?.slot == to }
            && choices.contains { $0?.steps.contains(.deletion(of: from, revision: revision)) == true }
    }

    /// The outcome for an app that is in its own slot, and was before.
    func outcomeAtHome(
        _ app: UserMigration.AppPlace,
        _ uid: String?
    ) throws(AuthError) -> UserMigration.Outcome {
        let there = try userAtTarget(of: app)
        return outcome(app.id, there, nil, there != nil && there == uid ? .alreadyThere : .nothing)
    }

    /// Whether an app was at the target before anybody came there from the source group.
    func isResident(_ app: UserMigration.AppPlace) -> Bool {
        guard from != .own, (try? app.standing(from: from, to: to)) == .atTarget else { return false }
        return !app.journals.contains { journal in (try? journal.read())?.steps.contains(where: isDone) ?? false }
    }

    /// Whether a step is of no use any more once the source is empty.
    private func isDone(_ step: GroupChoice.Pending) -> Bool {
        switch step {
        case .migration(_, let target): target == to
        case .deletion(let slot, _): slot == from
        }
    }

    func outcome(
        _ appID: String?,
        _ uid: String?,
        _ error: AuthError?,
        _ kind: UserMigration.Outcome.Kind = .failed
    ) -> UserMigration.Outcome {
        let kind: Outcome.Kind =
            switch error?.code {
            case nil: kind
            case .accessGroupOccupied?: migration.policy == .skip ? .skipped : .conflict
            case .conflict?: .conflict
            default: .failed
            }
        return Outcome(appID: appID, uid: uid, kind: kind, error: error)
    }

    // MARK: One app

    /// Brings the users to where an app is to find them, and has it look there.
    ///
    /// - Parameter isLast: whether nobody uses the source afterwards.
    /// - Returns: whether anything changed.
    private mutating func bring(
        _ app: UserMigration.AppPlace?,
        _ contents: inout SlotContents,
        isLast: Bool,
        _ isDurable: Bool,
        _ save: UserMigration.SaveReplaced
    ) throws(AuthError) -> Bool {
        let standing = try app?.standing(from: from, to: to)
        if case .elsewhere(let slot) = standing, let app { throw .elsewhere(app.id, slot) }
        // An app that is in its own slot has not lost what the group held.
        if isOnlyDeletionLeft || to == .own && standing == .atTarget { return false }
        let uid = contents.record.only(step.extent.uids).mainUID
        // An app that starts meanwhile goes on with a step of its own alone; other apps still need the source of several.
        let begun = step.apps.count == 1 ? uid.map { GroupChoice.Pending.migration(of: $0, to: to) } : nil
        if let begun, standing == .atSource {
            for journal in journals(app) { try journal.noteBegun(begun, by: deadline) }
        }
        let isNew = copy(for: app) == nil
        do throws(AuthError) {
            if isNew { try copy(&contents, for: app, namingOriginals: !isDurable, save) }
            let isChosen = try choose(app, contents, isLast: isLast, isDurable)
            return isChosen || copy(for: app)?.isOurs == true
        } catch {
            if error.code != .outcomeUnknown, isNew, takeBack(app), let begun {
                for journal in journals(app) { journal.noteEnded(begun, by: deadline) }
            }
            throw error
        }
    }

    private func journals(_ app: UserMigration.AppPlace?) -> [Journal] { app?.journals ?? [] }

    func slots(of app: UserMigration.AppPlace?) -> UserSlots { app?.slots ?? sourceSlots }

    private func index(of app: UserMigration.AppPlace?) -> Int? {
        copies.firstIndex { to != .own || $0.slots.appID == slots(of: app).appID }
    }

    private func copy(for app: UserMigration.AppPlace?) -> SlotCopy? { index(of: app).map { copies[$0] } }

    /// Copies the users, and reads copy and originals back together; where an original has changed meanwhile, it is copied again.
    private mutating func copy(
        _ contents: inout SlotContents,
        for app: UserMigration.AppPlace?,
        namingOriginals: Bool,
        _ save: UserMigration.SaveReplaced
    ) throws(AuthError) {
        let slots = slots(of: app)
        for _ in 1...Self.attempts {
            let made = try SlotCopy(of: contents, in: slots, self, namingOriginals: namingOriginals, by: deadline, save)
            note(made, for: app)
            let (found, original) = try slots.read(to, and: from, by: deadline)
            let (there, here) = (try found.get(), try original.get())
            let isThere = there.revision == copy(for: app)?.contents.revision
            if isThere, here.revision == contents.revision { return }
            let leaving = contents.record.only(step.extent.uids)
            contents = here
            // Whom a peer has signed out meanwhile must not live on in the target.
            if leaving.accounts.contains(where: { here.record.account($0.uid) == nil }) { break }
        }
        throw .changedMeanwhile(from)
    }

    /// Notes what was written, to be taken back if the step fails.
    private mutating func note(_ copy: SlotCopy, for app: UserMigration.AppPlace?) {
        guard let place = index(of: app) else { return copies.append(copy) }
        copies[place].contents = copy.contents
        copies[place].isOurs = copies[place].isOurs || copy.isOurs
        copies[place].removed = copies[place].removed ?? copy.removed
    }

    /// Stores the choice of the target in all journals of an app that have the source's.
    ///
    /// - Returns: whether one had.
    private mutating func choose(
        _ app: UserMigration.AppPlace?,
        _ contents: SlotContents,
        isLast: Bool,
        _ isDurable: Bool
    ) throws(AuthError) -> Bool {
        let journals = journals(app)
        var isChanged = false
        for (place, journal) in journals.enumerated() {
            let isVeryLast = isLast && place == journals.count - 1
            let leavesBehind = isVeryLast && !step.extent.keepsOriginals
            let change = MovedChoice(self, leavesBehind ? contents : nil, isDurable, by: deadline)
            let choice = try journal.change(by: deadline) { choice in
                guard choice.slot == from else { return }
                change.apply(to: &choice)
                isChanged = true
            }
            if isChanged, let copied = index(of: app) { copies[copied].isChosen = true }
            if choice.slot != to, let app { throw .elsewhere(app.id, choice.slot) }
        }
        return isChanged
    }

    // MARK: The end

    /// Deletes the originals; if somebody gave them newer tokens meanwhile, those are copied first.
    private mutating func deleteOriginals(_ contents: inout SlotContents) throws(AuthError) {
        let slots = sourceSlots
        for _ in 1...Self.attempts {
            let (leaving, read) = (contents.record.only(step.extent.uids), contents.revision)
            let isGone = { (found: SlotContents) in
                leaving.accounts.allSatisfy { found.record.account($0.uid) == nil }
            }
            let found = try slots.update(from, by: deadline, settledIf: isGone) { found in
                found.revision == read ? .store(found.record.removing(accountsOf: leaving)) : .keep
            }
            if isGone(found) { return tidy(read) }
            contents = found
            for place in copies.indices {
                let slots = copies[place].slots
                let copy = try SlotCopy(of: contents, in: slots, self, namingOriginals: false, by: deadline) { _ in }
                copies[place].contents = copy.contents
            }
        }
        throw .changedMeanwhile(from)
    }

    /// Notes that the deletion is done, and that nobody keeps the source's users any more.
    private func tidy(_ revision: Revision?) {
        let deletion = revision.map { GroupChoice.Pending.deletion(of: from, revision: $0) }
        for journal in step.apps.flatMap(\.journals) {
            let steps = (try? journal.read().steps) ?? []
            for step in steps where step == deletion || isDone(step) { journal.noteEnded(step, by: deadline) }
            journal.clearKeepers(of: from, by: deadline, durably: false)
        }
    }

    /// Takes the copy for an app back, if no choice needs it.
    ///
    /// - Returns: whether the target is as it was.
    private mutating func takeBack(_ app: UserMigration.AppPlace?) -> Bool {
        guard let place = index(of: app) else { return true }
        if copies[place].isChosen { return false }
        let isBack = copies[place].takeBack(from: to, by: deadline)
        if isBack { copies.remove(at: place) }
        return isBack
    }

}

extension AuthError {
    fileprivate static func changedMeanwhile(_ slot: Slot) -> AuthError {
        AuthError(.conflict, "Another app changed \(slot.description) meanwhile.", remedy: "Migrate again.")
    }

    /// What is said of an app whose stored choice is neither source nor target.
    static func elsewhere(_ appID: String, _ slot: Slot) -> AuthError {
        AuthError(
            .conflict,
            "\(appID) uses \(slot.description) by its stored choice.",
            remedy: "Migrate its users from there."
        )
    }

    /// What is said of originals that could not be deleted, when all else was done.
    fileprivate static func leftBehind(_ error: AuthError, in slot: Slot) -> AuthError {
        AuthError(
            error.code == .conflict ? .outcomeUnknown : error.code,
            "The user was copied and the choice stored, but a copy is still in \(slot.description): \(error.message)",
            remedy: "Migrate again; the next start of the app deletes it, too.",
            underlying: error
        )
    }
}
