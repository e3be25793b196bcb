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
        perform(step, savingReplaced: save) {}
    }

    /// As the public form; `progress` is called after each app, while the source is locked: it may not use the store.
    package func perform(
        _ step: Step,
        savingReplaced save: SaveReplaced,
        progress: () -> Void
    ) -> [Outcome] {
        var move = SlotMove(migration: self, step: step)
        return move.run(save, progress)
    }
}

/// One step of a migration, on its way.
///
/// Copies are made and read back without a lock across them, so that a running app that refreshes its tokens is not held up.
/// Then, in one turn of the source that begins with a look whether it is as it was copied, the choices are stored and the originals
/// deleted: nobody signs out or refreshes in between. What has changed is copied again.
struct SlotMove {
    typealias Outcome = UserMigration.Outcome

    let migration: UserMigration
    let step: UserMigration.Step
    /// The copies that were made, one for each slot that is a target.
    private var copies: [SlotCopy] = []
    /// What has become of the apps, in their order; where it has come to success, whether a choice was stored.
    private var results: [Result<Bool, AuthError>] = []
    /// The apps whose next start settles what has become of the move.
    private var pending: Set<String?> = []
    /// The apps that are at the target, and had begun to move from there to the source.
    private var returning: Set<String> = []
    /// Whether an earlier run died when all was done but the deletion: the users may have signed out at the target since.
    private var isOnlyDeletionLeft = false
    /// Whether the choices were stored, as far as they could be.
    private var hasChosen = false
    private var isDurable = true
    /// Which program has the copies, and which run of it; nil as far as that is not known, or of no use.
    private var keeper: KeyringDaemon.Kind?
    private var daemonRun: String?

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
    var deadline: Deadline { .after(migration.timeout) }
    private var sourceSlots: UserSlots { step.apps.first?.slots ?? migration.slots(of: nil) }
    /// The apps; one without a name for a group that none has chosen.
    private var apps: [UserMigration.AppPlace?] { step.apps.isEmpty ? [nil] : step.apps }
    private var isEverybodyThere: Bool { apps.indices.allSatisfy(isThere) }

    private func isThere(_ place: Int) -> Bool { (try? results[place].get()) != nil }

    // MARK: All apps of the step

    mutating func run(_ save: UserMigration.SaveReplaced, _ progress: () -> Void) -> [Outcome] {
        let contents: SlotContents
        do throws(AuthError) {
            contents = try source()
        } catch {
            return appIDs.map { outcome($0, step.uid, error) }
        }
        let users = step.selection.moved(of: contents.record)
        if users.accounts.isEmpty { return step.apps.map(absent) }
        if let error = refusal(for: users) { return appIDs.map { outcome($0, of: users, error) } }
        do throws(RecordStoreError) {
            isDurable = try migration.store.isDurableOnAcknowledge(by: deadline)
            keeper = (try? migration.store.keeper(by: deadline)) ?? nil
            if !isDurable { daemonRun = (try? migration.store.daemonRun(by: deadline)) ?? nil }
        } catch {
            return appIDs.map { outcome($0, of: users, AuthError(error, in: to)) }
        }
        let residents = Set(step.apps.filter(isResident).map(\.id))
        results = apps.map { _ in .success(false) }
        let (isDeleted, failure) = move(contents, save, progress)
        for place in apps.indices { settle(place, users.mainAccount?.id, isDeleted: isDeleted) }
        return zip(apps, results).map { app, result in
            do throws(AuthError) {
                let copy = copy(for: app)
                let isChanged = try result.get() || isDeleted || copy?.isOurs ?? false
                let isResident = app.map { residents.contains($0.id) } ?? false
                if isResident, to == .own, let app { return try outcomeAtHome(app, users.mainUID) }
                var outcome = outcome(app?.id, of: users, failure, isChanged && !isResident ? .moved : .alreadyThere)
                outcome.replacedUID = copy?.removed?.uid
                outcome.accountsAtTarget = copy?.residents(of: users) ?? []
                return outcome
            } catch {
                return outcome(app?.id, of: users, error, pending.contains(app?.id) ? .pending : .failed)
            }
        }
    }

    /// Copies, stores the choices, and deletes. What fails for an app is its result.
    ///
    /// - Returns: whether the originals were deleted; if they were to be and are not, why.
    private mutating func move(
        _ contents: SlotContents,
        _ save: UserMigration.SaveReplaced,
        _ progress: () -> Void
    ) -> (isDeleted: Bool, failure: AuthError?) {
        var contents = contents
        do throws(AuthError) {
            for _ in 1...Self.attempts {
                isOnlyDeletionLeft = hasBegunDeletion(at: contents.revision)
                for (place, app) in apps.enumerated() where isThere(place) {
                    do throws(AuthError) { try bring(app, contents, save) } catch { results[place] = .failure(error) }
                }
                let isAnybodyThere = apps.indices.contains(where: isThere)
                if !isAnybodyThere || copies.isEmpty && !isOnlyDeletionLeft { return (false, nil) }
                let found = try leave(contents, progress)
                if hasChosen { return (found.revision != contents.revision, nil) }
                let users = step.selection.moved(of: contents.record)
                contents = found
                // Whom a peer has signed out meanwhile must not live on in the target.
                if !users.accounts.allSatisfy(found.record.holds) { break }
            }
            throw .changedMeanwhile(from)
        } catch {
            if hasChosen { return (false, .leftBehind(error, in: from)) }
            results = results.map { result in result.flatMap { _ in .failure(error) } }
            return (false, nil)
        }
    }

    /// Stores the choices and deletes the originals, unless the source has changed.
    ///
    /// - Returns: what the source holds then.
    private mutating func leave(_ contents: SlotContents, _ progress: () -> Void) throws(AuthError) -> SlotContents {
        let (slots, leaving) = (sourceSlots, step.selection.leaving(contents.record))
        // Many choices take their time.
        return try slots.update(
            from,
            by: .after(migration.timeout * (1 + apps.count / 10)),
            settledIf: { found in leaving.accounts.allSatisfy { found.record.account($0.id) == nil } }
        ) { found in
            guard found.revision == contents.revision else { return .keep }
            choose(contents, progress)
            guard isEverybodyThere, isDurable, !leaving.accounts.isEmpty else { return .keep }
            return .store(found.record.removing(accountsOf: leaving))
        }
    }

    /// Stores the choice of the target for each app that is to find its users there.
    private mutating func choose(_ contents: SlotContents, _ progress: () -> Void) {
        hasChosen = true
        for (place, app) in apps.enumerated() where isThere(place) {
            // Until all have left, the originals are needed.
            let isLast = place == apps.count - 1 && isEverybodyThere
            var error: AuthError?
            do throws(AuthError) {
                if let app, !isOnlyDeletionLeft {
                    results[place] = .success(
                        try app.choose(
                            self,
                            leaving: isLast ? contents : nil,
                            isReturning: returning.contains(app.id),
                            isDurable: isDurable,
                            run: daemonRun,
                            timeout: migration.timeout
                        )
                    )
                }
            } catch let failure {
                error = failure
                results[place] = .failure(failure)
            }
            if error == nil || error?.code == .outcomeUnknown, let copied = index(of: app) {
                copies[copied].isChosen = true
            }
            progress()
        }
    }

    /// Notes what has become of an app: its users are gone from the source, or they have not come to the target.
    private mutating func settle(_ place: Int, _ id: AccountID?, isDeleted: Bool) {
        guard let app = apps[place] else { return takeBack(nil) }
        switch results[place] {
        case .success(let isChosen):
            for journal in app.journals {
                let steps = (try? journal.read(by: deadline).steps) ?? []
                if isDeleted { for step in steps where isDone(step) { journal.noteEnded(step, by: deadline) } }
                guard isChosen || isDeleted, (try? journal.read(by: deadline).slot) == to else { continue }
                journal.noteMoved(to: to, keptBy: keeper, leaving: isDeleted ? from : nil, by: deadline)
            }
        case .failure(let error):
            takeBack(app)
            guard let begun = begun(id) else { return }
            let journals = app.journals.filter { (try? $0.read(by: deadline).steps.contains(begun)) ?? true }
            if error.code != .outcomeUnknown, copy(for: app)?.isChosen != true {
                for journal in journals { journal.noteEnded(begun, by: deadline) }
            } else if !journals.isEmpty {
                // What is not known to have failed is settled by the next start.
                pending.insert(app.id)
                results[place] = .failure(.pending(error))
            }
        }
    }

    /// Takes the copy for an app back, if no choice needs it.
    private mutating func takeBack(_ app: UserMigration.AppPlace?) {
        guard let place = index(of: app), !copies[place].isChosen else { return }
        // One that somebody has written over stays.
        if copies[place].takeBack(from: to, by: deadline) {
            copies.remove(at: place)
        } else {
            copies[place].isChosen = true
        }
    }

    // MARK: One app

    /// Brings the users to where an app is to find them, and reads them back.
    private mutating func bring(
        _ app: UserMigration.AppPlace?,
        _ contents: SlotContents,
        _ save: UserMigration.SaveReplaced
    ) throws(AuthError) {
        let chosenSlot = try app?.chosenSlot(from: from, to: to, by: deadline)
        if case .elsewhere(let slot, let path) = chosenSlot, let app { throw .elsewhere(app.id, slot, path) }
        if case .leavingTarget = chosenSlot, let app { returning.insert(app.id) }
        // An app that is in its own slot has not lost what the group held.
        if isOnlyDeletionLeft || to == .own && chosenSlot == .atTarget { return }
        if let place = index(of: app), copies[place].source == contents.revision { return }
        if let app, let begun = begun(step.selection.moved(of: contents.record).mainAccount?.id) {
            for journal in try app.concerned(from, by: deadline) where try journal.read(by: deadline).slot == from {
                try journal.noteBegun(begun, by: deadline)
            }
        }
        let slots = slots(of: app)
        for _ in 1...Self.attempts {
            let made = try SlotCopy(of: contents, in: slots, self, namingOriginals: !isDurable, by: deadline, save)
            if let place = index(of: app) { copies[place].take(made) } else { copies.append(made) }
            if try slots.read(to, by: deadline).revision == copy(for: app)?.contents.revision { return }
        }
        throw .changedMeanwhile(to)
    }

    /// What an app notes before a copy is made, and goes on with by itself if it starts meanwhile; nil for one of several apps,
    /// as the others still need the source.
    private func begun(_ id: AccountID?) -> GroupChoice.Pending? {
        step.apps.count == 1 ? id.map { .migration(of: $0, to: to) } : nil
    }

    func slots(of app: UserMigration.AppPlace?) -> UserSlots { app?.slots ?? sourceSlots }

    private func index(of app: UserMigration.AppPlace?) -> Int? {
        copies.firstIndex { to != .own || $0.slots.appID == slots(of: app).appID }
    }

    private func copy(for app: UserMigration.AppPlace?) -> SlotCopy? { index(of: app).map { copies[$0] } }
}

extension SlotMove {
    // MARK: What is found

    var appIDs: [String?] { step.apps.isEmpty ? [nil] : step.apps.map(\.id) }

    /// Whether what the plan has read was read not long ago.
    private var isFresh: Bool { ContinuousClock.now - step.isRead < Self.freshness }

    /// What the source holds.
    func source() throws(AuthError) -> SlotContents {
        isFresh ? try step.found.get() : try sourceSlots.read(from, by: deadline)
    }

    /// Who is where an app is to find its user.
    func userAtTarget(of app: UserMigration.AppPlace) throws(AuthError) -> String? {
        isFresh ? step.targets[app.id]?.mainUID : try app.slots.read(to, by: deadline).record.mainUID
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
    private func absent(_ app: UserMigration.AppPlace) -> Outcome {
        do throws(AuthError) {
            let chosenSlot = try app.chosenSlot(from: from, to: to, by: deadline)
            let there = chosenSlot.isAtTarget ? try userAtTarget(of: app) : nil
            // A copy that has not arrived is not to be waited for.
            if case .leavingTarget = chosenSlot { try app.cancelMove(from: to, to: from, by: deadline) }
            for journal in app.journals {
                for step in try journal.read(by: deadline).steps where isDone(step) {
                    journal.noteEnded(step, by: deadline)
                }
            }
            return outcome(app.id, there, nil, there == nil ? .nothing : .alreadyThere)
        } catch {
            return outcome(app.id, nil, error)
        }
    }

    /// Whether all apps have the target's choice, and one still has to delete what the source holds.
    private func hasBegunDeletion(at revision: Revision?) -> Bool {
        guard let revision, !step.apps.isEmpty else { return false }
        guard step.apps.allSatisfy({ (try? $0.chosenSlot(from: from, to: to, by: deadline)) == .atTarget }) else {
            return false
        }
        return step.apps.flatMap(\.journals).contains { journal in
            (try? journal.read(by: deadline))?.steps.contains { step in
                if case .deletion(from, revision, _) = step { true } else { false }
            } ?? false
        }
    }

    /// The outcome for an app that is in its own slot, and was before.
    func outcomeAtHome(_ app: UserMigration.AppPlace, _ uid: String?) throws(AuthError) -> Outcome {
        let there = try userAtTarget(of: app)
        return outcome(app.id, there, nil, there != nil && there == uid ? .alreadyThere : .nothing)
    }

    /// Whether an app was at the target before anybody came there from the source group.
    func isResident(_ app: UserMigration.AppPlace) -> Bool {
        guard from != .own, (try? app.chosenSlot(from: from, to: to, by: deadline)) == .atTarget else { return false }
        return !app.journals.contains { journal in
            (try? journal.read(by: deadline))?.steps.contains(where: isDone) ?? false
        }
    }

    /// Whether a step is of no use any more once the source is empty.
    private func isDone(_ step: GroupChoice.Pending) -> Bool {
        switch step {
        case .migration(_, let target): target == to
        case .deletion(let slot, _, _): slot == from
        }
    }

    func outcome(
        _ appID: String?,
        _ uid: String?,
        _ error: AuthError?,
        _ kind: Outcome.Kind = .failed
    ) -> Outcome {
        let kind: Outcome.Kind =
            switch error?.code {
            case nil: kind
            case .accessGroupOccupied?: migration.policy == .skip ? .skipped : .conflict
            case .conflict?: .conflict
            // What has failed after the choice was stored is still to be done.
            default: kind == .failed ? .failed : .pending
            }
        return Outcome(appID: appID, uid: uid, kind: kind, error: error)
    }

    func outcome(
        _ appID: String?,
        of users: UserRecord,
        _ error: AuthError?,
        _ kind: Outcome.Kind = .failed
    ) -> Outcome {
        var outcome = outcome(appID, users.mainUID, error, kind)
        outcome.accounts = users.accounts.map(\.id)
        outcome.appsAtTarget = step.residents
        return outcome
    }
}

extension AuthError {
    fileprivate static func changedMeanwhile(_ slot: Slot) -> AuthError {
        AuthError(.conflict, "Another app changed \(slot.description) meanwhile.", remedy: "Migrate again.")
    }

    /// The error of a move that the app's next start settles.
    fileprivate static func pending(_ error: AuthError) -> AuthError {
        AuthError(
            .outcomeUnknown,
            "The move was begun and not ended: \(error.message)",
            remedy: "Migrate again, or start the app: it ends the move, or drops it where the copy was not written.",
            underlying: error
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
