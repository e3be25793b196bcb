internal import SecretService

extension UserMigration {
    /// Receives a session before it is removed. If it throws, the session stays.
    public typealias SaveReplaced = (ReplacedSession) throws(AuthError) -> Void

    /// Performs a step: copies the users and reads the copy back, stores the apps' choices, and deletes the originals.
    ///
    /// A step that fails before an app's choice was stored is taken back. It does not throw: each app has an outcome.
    /// - Parameters:
    ///   - step: a step of a plan of this migration.
    ///   - save: receives each session that the policy `replace` is about to remove, while the slot is locked: it may
    ///     not use the store. An error that it throws becomes the outcome's error, and nothing changes.
    public func perform(_ step: Step, savingReplaced save: SaveReplaced = { _ in }) -> [Outcome] {
        perform(step, savingReplaced: save) {}
    }

    /// Performs a step. Calls `progress` after each app, while the source is locked: it may not use the store.
    package func perform(
        _ step: Step,
        savingReplaced save: SaveReplaced,
        progress: () -> Void
    ) -> [Outcome] {
        withoutActuallyEscaping(save) { save in
            withoutActuallyEscaping(progress) { progress in
                MovePlan(migration: self, step: step).perform(save, progress).outcomes
            }
        }
    }
}

/// Performs the effects of a move.
final class MoveRunner {
    private(set) var move: Move
    let plan: MovePlan
    /// The deadline of a whole move that is taken back; nil until then, and if each app has a separate time limit.
    private var extended: Deadline?
    /// The program that has the copies; nil if unknown, or not needed.
    private let keeper: KeyringDaemon.Kind?
    private let save: UserMigration.SaveReplaced
    private let progress: () -> Void
    /// Reads other data while a lock is acquired that reads nothing. If it throws, the move fails.
    private let reading: () throws(AuthError) -> Void

    init(
        _ move: Move,
        _ plan: MovePlan,
        keeper: KeyringDaemon.Kind? = nil,
        save: @escaping UserMigration.SaveReplaced = { _ in },
        progress: @escaping () -> Void = {},
        reading: @escaping () throws(AuthError) -> Void = {}
    ) {
        (self.move, self.plan, self.keeper) = (move, plan, keeper)
        (self.save, self.progress, self.reading) = (save, progress, reading)
    }

    var timeout: Duration { plan.migration.timeout }
    var deadline: Deadline { extended ?? plan.deadline }

    /// Runs the move to its end.
    func run() -> Move {
        var effects = move.beginning
        while !effects.isEmpty {
            if let event = perform(effects.removeFirst()) { effects += move.handle(event) }
        }
        return move
    }

    private func perform(_ effect: Move.Effect) -> Move.Event? {
        switch effect {
        case .look(let apps):
            return .looked(
                apps.map { app in
                    Result { () throws(AuthError) in try plan.apps[app]?.look(by: deadline) ?? [] }
                }
            )
        case .note(let steps, let places):
            return .noted(
                failure { () throws(AuthError) in
                    for noted in places { try plan.apps[noted.app]?.noteBegun(steps, in: noted.place, by: deadline) }
                }
            )
        case .copy(let contents, let app):
            return .copied(Result { () throws(AuthError) in try copy(contents, plan.apps[app]) })
        case .readBack(let app):
            return .readBack(
                Result { () throws(AuthError) in
                    try plan.slots(of: plan.apps[app]).read(plan.to, by: deadline).revision
                }
            )
        case .lock(let isReading):
            do throws(AuthError) {
                return .left(try isReading ? changeSource() : holdSource())
            } catch {
                return .leaveFailed(error)
            }
        case .choose(let change, let condition, let app, let place):
            return .chose(
                Result { () throws(AuthError) in
                    guard let app = plan.apps[app] else { return .alreadyThere }
                    return try app.choose(change, over: condition, in: place, by: deadline)
                }
            )
        case .tellProgress: progress()
        case .beginTakingBack:
            if plan.migration.course.deadline != nil, extended == nil { extended = .after(timeout) }
        case .lookAtDeletion(let error):
            return .lookedAtDeletion(
                plan.sourceSlots.outcome(
                    ofDeletionIn: plan.from,
                    failedWith: error,
                    by: deadline,
                    isDone: { move.isDone(in: $0) }
                )
            )
        case .putBack(let changed, let app, let isInTurn):
            return .putBack(failure { () throws(AuthError) in try putBack(changed, app, isInTurn: isInTurn) })
        case .takeBack(let copy, let steps, let app): return .tookBack(takeBack(copy, ending: steps, app))
        case .noteEnd(let steps, let app, let place, let isMoved): noteEnd(steps, journal(app, place), isMoved)
        case .settleNames(let app): return settleNames(app).map { .settledNames($0, app: app) }
        // Ends the work under the lock.
        case .unlock: break
        }
        return nil
    }

    private func failure(_ body: () throws(AuthError) -> Void) -> AuthError? {
        do throws(AuthError) {
            try body()
            return nil
        } catch {
            return error
        }
    }

    func journal(_ app: Int, _ place: Int) -> Journal? { plan.apps[app]?.journals[place] }

    // MARK: The source

    /// Performs the effects under the source's lock, and stores its record.
    private func changeSource() throws(AuthError) -> SlotContents {
        // Storing many choices takes time.
        let deadline = plan.migration.course.deadline ?? .after(timeout * (1 + plan.apps.count / 10))
        let after = try plan.sourceSlots.update(plan.from, by: deadline) { [self] found in
            move.isDeleted && move.isDone(in: found.record)
        } _: { found in
            performUntilUnlock(.locked(found)).map { .store($0, in: .full) } ?? .keep
        }
        return plan.step.seen(after)
    }

    /// Performs the effects under the source's lock, without reading its record.
    private func holdSource() throws(AuthError) -> SlotContents {
        try plan.sourceSlots.inTurn(of: plan.from, by: deadline) {
            Result { () throws(AuthError) in try reading() }
        } _: { result throws(AuthError) in
            try result.get()
            _ = performUntilUnlock(.locked(nil))
            return SlotContents()
        }
    }

    /// - Returns: the record to store.
    private func performUntilUnlock(_ event: Move.Event) -> UserRecord? {
        var effects = move.handle(event)
        while !effects.isEmpty {
            let effect = effects.removeFirst()
            if case .unlock(let record) = effect { return record }
            if let event = perform(effect) { effects += move.handle(event) }
        }
        return nil
    }

    // MARK: Copies and choices

    /// Writes the users to a target, unless they are already there as in the source.
    ///
    /// With the policy `replace`, a record that cannot be read is set aside.
    /// - Throws: `accessGroupOccupied` if the policy does not admit the users; `conflict` if no user is left to move,
    ///   or if a resumed move finds no copy; an error of `save` or of the store.
    private func copy(_ source: SlotContents, _ app: UserMigration.AppPlace?) throws(AuthError) -> SlotCopy {
        let (slots, migration, mayLeave) = (plan.slots(of: app), plan.migration, move.mayLeaveOriginals)
        let scope = try slots.key(plan.from).scopeName
        var (coming, present) = (UserRecord(), SlotContents())
        var merged: AccountMerge?
        let contents = try slots.update(
            plan.to,
            by: deadline,
            ifDamaged: migration.policy == .replace ? .setAside : .replaceEmpty,
            // `coming` is empty until the lock is held; until then nothing can have been written.
            settledIf: { found in
                !coming.isEmpty && coming.accounts.allSatisfy { found.record.account($0.id)?.tokens == $0.tokens }
            }
        ) { found throws(AuthError) in
            present = found
            coming = try plan.users(
                of: source,
                comingInto: found.record,
                slots,
                namingOriginals: mayLeave,
                isFinishing: move.keepsNames
            )
            if migration.course.isResumed, !coming.accounts.allSatisfy(found.record.holds) {
                throw .changedMeanwhile(plan.to)
            }
            let merge = try migration.merge(coming, into: found.record)
            if let removed = merge.removed {
                try save(ReplacedSession(removed, in: plan.to, appID: slots.appID, project: migration.project))
            }
            merged = merge
            return merge.record == found.record ? .keep : .store(merge.record, in: .full)
        }
        return SlotCopy(
            of: coming,
            at: source.revision,
            for: app?.id,
            over: present,
            is: contents,
            isOurs: merged.map { $0.record != present.record } ?? false,
            namesOriginals: coming.accounts.contains { contents.record.account($0.id)?.names(scope) ?? false },
            removing: merged?.removed
        )
    }

    /// Removes the names of originals that were deleted: a sign-out need not look for them. Where they stay because the
    /// store may forget the copy, notes that all apps have left them: they end with the copy.
    ///
    /// Failures are ignored: what the names say is deleted is gone, and what apps have left is noted in a journal.
    /// - Returns: the contents of the target afterwards.
    private func settleNames(_ app: Int) -> SlotContents? {
        let (slots, leaving) = (plan.slots(of: plan.apps[app]), move.leaving)
        guard let scope = try? slots.key(plan.from).scopeName, let copy = move.copy(for: move.apps[app]) else {
            return nil
        }
        let isLost = { [self] in
            let run = move.migration?.daemonRun
            return run == nil || (try? plan.migration.store.daemonRun(by: deadline)) != run
        }
        let copied = copy.contents.record.accounts.filter { leaving.contains($0.id) }
        return try? slots.update(plan.to, by: deadline) { found in
            let record =
                move.isDeleted
                ? found.record.droppingNames(of: leaving, in: scope)
                : found.record.leavingOriginals(of: copied, in: scope, unless: isLost)
            return record == found.record ? .keep : .store(record, in: .full)
        }
    }

    private func noteEnd(_ steps: [GroupChoice.Pending], _ journal: Journal?, _ isMoved: Bool) {
        for step in steps { journal?.noteEnded(step, by: deadline) }
        guard isMoved else { return }
        journal?.noteMoved(to: plan.to, keptBy: keeper, leaving: move.isDeleted ? plan.from : nil, by: deadline)
    }
}

extension MovePlan {
    /// Performs the step.
    ///
    /// - Returns: the outcome for each app, and the move if it has begun.
    func perform(
        _ save: @escaping UserMigration.SaveReplaced,
        _ progress: @escaping () -> Void
    ) -> (outcomes: [Outcome], move: Move?) {
        let (contents, isDurable): (SlotContents, Bool)
        do throws(AuthError) {
            contents = try source()
        } catch {
            return (appIDs.map { outcome($0, step.uid, error) }, nil)
        }
        let users = step.selection.moved(of: contents.record)
        if users.accounts.isEmpty, !step.selection.isOfNobody { return (step.apps.map(absent), nil) }
        if let error = refusal(for: users) { return (appIDs.map { outcome($0, of: users, error) }, nil) }
        do throws(RecordStoreError) {
            isDurable = try migration.store.isDurableOnAcknowledge(by: deadline)
        } catch {
            return (appIDs.map { outcome($0, of: users, AuthError(error, in: to)) }, nil)
        }
        let state = Move.Migration(
            selection: step.selection,
            policy: migration.policy,
            course: migration.course,
            nonce: .random(in: .min ... .max),
            users: users,
            isDurable: isDurable,
            daemonRun: isDurable ? nil : (try? migration.store.daemonRun(by: deadline)) ?? nil,
            contents: contents
        )
        let runner = MoveRunner(
            Move(from: from, to: to, state, of: apps.map { AppMove($0?.id, isRunning: $0?.isRunning ?? false) }),
            self,
            // A running app notes its keeper itself.
            keeper: migration.course.isOutside ? (try? migration.store.keeper(by: deadline)) ?? nil : nil,
            save: save,
            progress: progress
        )
        let move = runner.run()
        return (zip(apps, move.apps).map { outcome($0, $1, of: users, move) }, move)
    }

    /// Returns the outcome for an app at the end of a move.
    private func outcome(
        _ app: UserMigration.AppPlace?,
        _ state: AppMove,
        of users: UserRecord,
        _ move: Move
    ) -> Outcome {
        if case .pending(let error) = state.state { return outcome(app?.id, of: users, error, .pending) }
        if let error = state.failure { return outcome(app?.id, of: users, error) }
        if state.isJoining {
            let isNews = state.isChosen || !users.accounts.isEmpty
            return outcome(app?.id, of: users, nil, isNews ? .joined : .alreadyThere)
        }
        let copy = move.copy(for: state)
        let isChanged = state.isChosen || move.isDeleted || copy?.isOurs ?? false
        let isResident = state.id.map(move.residents.contains) ?? false
        if isResident, to == .own, let app {
            do throws(AuthError) {
                return try outcomeAtHome(app, users.mainUID)
            } catch {
                return outcome(app.id, of: users, error)
            }
        }
        var outcome = outcome(app?.id, of: users, move.leftBehind, isChanged && !isResident ? .moved : .alreadyThere)
        outcome.replacedUID = copy?.removed?.uid
        outcome.accountsAtTarget = copy?.residents(of: users) ?? []
        return outcome
    }

    /// Returns the users to move to a target that holds this record.
    ///
    /// A user who signed out there, when the original of the copy was as it is now, does not come back.
    /// - Parameter isFinishing: whether this app finishes an interrupted move, perhaps of several apps: the others, which
    ///   find the source empty, follow by a copy whose original is left.
    /// - Throws: `conflict` if no user is left to move.
    func users(
        of source: SlotContents,
        comingInto present: UserRecord,
        _ slots: UserSlots,
        namingOriginals: Bool = false,
        isFinishing: Bool = false
    ) throws(AuthError) -> UserRecord {
        let leaving = step.selection.moved(of: source.record)
        guard let revision = source.revision else { return leaving }
        let original = try slots.copiedFrom(from, at: revision)
        let signedOut = present.signedOut.filter { $0.original.scope == original.scope }
        let coming = leaving.removing(originalsOf: signedOut, at: revision)
        if coming.accounts.isEmpty, let uid = leaving.mainUID { throw .signedOut(uid, from: to) }
        let target = try slots.key(to).scopeName
        return coming.mapAccounts { account in
            var account = account
            // The copy takes the place of an earlier original.
            account.remainingOriginals.removeAll { $0.scope == target }
            let isLeft = isFinishing && from != .own
            if namingOriginals || isLeft, !step.selection.keeps(account.id) {
                account.name([original.ofSession(account.tokens).noted(asLeft: isLeft)])
            }
            return account
        }
    }
}

extension AuthError {
    fileprivate static func signedOut(_ uid: String, from slot: Slot) -> AuthError {
        AuthError(
            .conflict,
            "\(uid) has signed out of \(slot.description), and this copy is still to be deleted.",
            remedy: "Start the app, which deletes it, or sign in again."
        )
    }
}
