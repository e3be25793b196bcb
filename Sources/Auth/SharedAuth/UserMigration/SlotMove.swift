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
        var move = SlotMove(migration: self, step: step)
        return move.run(save, progress)
    }
}

/// A step of a migration while it is performed.
///
/// Copies are made and read back without a lock across them, so that a running app can refresh its tokens. Then, under
/// one lock of the source, the choices are stored and the originals deleted: no user signs out or refreshes in between.
/// A source that has changed since the copy is copied again.
struct SlotMove {
    typealias Outcome = UserMigration.Outcome

    let migration: UserMigration
    let step: UserMigration.Step
    /// Names the move in the journals.
    let nonce = UInt64.random(in: .min ... .max)
    /// The copies, one for each target slot.
    private var copies: [SlotCopy] = []
    /// The results of the apps, in their order; on success, whether a choice was stored.
    private var results: [Result<Bool, AuthError>] = []
    /// The apps that join another user at the target.
    private var joining: Set<Int> = []
    /// The places of apps whose choice was stored.
    private var changed: [UserMigration.ChangedPlace] = []
    /// The apps whose next start settles the move.
    private var pending: Set<String?> = []
    /// The apps at the target that had begun to move from there to the source.
    private var returning: Set<String> = []
    /// True if an earlier run died with only the deletion left: the users may have signed out at the target since.
    private var isOnlyDeletionLeft = false
    /// True if the choices were stored, as far as possible.
    private var hasChosen = false
    private var isDurable = true
    /// The program that has the copies, and its run; nil if unknown, or not needed.
    private var keeper: KeyringDaemon.Kind?
    private var daemonRun: String?
    /// The deadline of the whole move; nil if each app has a separate time limit.
    private var limit: Deadline?
    private var isTakingBack = false

    /// The maximum number of attempts at a step while other processes change the source or the target.
    private static let attempts = 3
    /// The maximum age of a plan whose contents are copied without another read.
    static let freshness = Duration.seconds(5)

    init(migration: UserMigration, step: UserMigration.Step) {
        self.migration = migration
        self.step = step
        switch migration.course {
        case .outside: break
        case .running(let deadline), .resumed(let deadline): limit = deadline
        }
    }

    var from: Slot { migration.from }
    var to: Slot { migration.to }
    var deadline: Deadline { limit ?? .after(migration.timeout) }
    var isResumed: Bool { if case .resumed = migration.course { true } else { false } }
    private var isRunning: Bool { if case .running = migration.course { true } else { false } }
    /// True if the choice may be stored only as long as the step is noted. (A tool's note may be gone because the app
    /// has started before the copy was there.)
    var demandsNote: Bool { isRunning || isResumed }
    var sourceSlots: UserSlots { step.apps.first?.slots ?? migration.slots(of: nil) }
    /// The apps; a single nil for a group that no app has chosen.
    private var apps: [UserMigration.AppPlace?] { step.apps.isEmpty ? [nil] : step.apps }
    private var isEverybodyThere: Bool { apps.indices.allSatisfy(isThere) }

    private func isThere(_ place: Int) -> Bool { (try? results[place].get()) != nil }

    /// The contents of a single app's target, once the app is there; nil until then.
    var arrived: SlotContents? {
        guard let result = results.first, case .success = result else { return nil }
        return copies.first?.contents
    }

    // MARK: All apps of the step

    mutating func run(_ save: UserMigration.SaveReplaced, _ progress: () -> Void) -> [Outcome] {
        let contents: SlotContents
        do throws(AuthError) {
            contents = try source()
        } catch {
            return appIDs.map { outcome($0, step.uid, error) }
        }
        let users = step.selection.moved(of: contents.record)
        if users.accounts.isEmpty, !step.selection.isOfNobody { return step.apps.map(absent) }
        if let error = refusal(for: users) { return appIDs.map { outcome($0, of: users, error) } }
        do throws(RecordStoreError) {
            isDurable = try migration.store.isDurableOnAcknowledge(by: deadline)
            // A running app notes its keeper itself.
            if limit == nil { keeper = (try? migration.store.keeper(by: deadline)) ?? nil }
            if !isDurable { daemonRun = (try? migration.store.daemonRun(by: deadline)) ?? nil }
        } catch {
            return appIDs.map { outcome($0, of: users, AuthError(error, in: to)) }
        }
        let residents = Set(step.apps.filter(isResident).map(\.id))
        results = apps.map { _ in .success(false) }
        let (isDeleted, failure) = move(contents, save, progress)
        for place in apps.indices { settle(place, users.mainAccount?.id, isDeleted: isDeleted) }
        return apps.enumerated().map { place, app in
            let result = results[place]
            do throws(AuthError) {
                let copy = copy(for: app)
                if joining.contains(place) {
                    let isChosen = try result.get()
                    return outcome(
                        app?.id,
                        of: users,
                        nil,
                        isChosen || !users.accounts.isEmpty ? .joined : .alreadyThere
                    )
                }
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

    /// Copies, stores the choices, and deletes. A failure for one app becomes its result.
    ///
    /// - Returns: whether the originals were deleted, and the reason if their deletion failed.
    private mutating func move(
        _ contents: SlotContents,
        _ save: UserMigration.SaveReplaced,
        _ progress: () -> Void
    ) -> (isDeleted: Bool, failure: AuthError?) {
        var contents = contents
        do throws(AuthError) {
            for _ in 1...Self.attempts {
                isOnlyDeletionLeft = hasBegunDeletion(at: contents.revision)
                joining = []
                for (place, app) in apps.enumerated() where isThere(place) {
                    do throws(AuthError) {
                        if try bring(app, contents, save) == .another { joining.insert(place) }
                    } catch {
                        results[place] = .failure(error)
                    }
                }
                let isAnybodyThere = apps.indices.contains(where: isThere)
                if !isAnybodyThere || copies.isEmpty && joining.isEmpty && !isOnlyDeletionLeft { return (false, nil) }
                let (found, isDeleted) = try leave(contents, progress)
                if hasChosen { return (isDeleted, nil) }
                let users = step.selection.moved(of: contents.record)
                contents = step.seen(found)
                // A user whom a peer has signed out in the meantime must not live on at the target.
                if !users.accounts.allSatisfy(contents.record.holds) { break }
            }
            throw .changedMeanwhile(from)
        } catch {
            beginTakingBack()
            guard hasChosen else {
                results = results.map { result in result.flatMap { _ in .failure(error) } }
                return (false, nil)
            }
            let leaving = step.selection.leaving(contents.record)
            let outcome = sourceSlots.outcome(ofDeletionIn: from, failedWith: error, by: deadline) { left in
                !leaving.accounts.contains(where: left.holds)
            }
            switch outcome {
            case .done: return (true, nil)
            case .notDone where isRunning && isEverybodyThere && goBack():
                results[0] = .failure(error)
                return (false, nil)
            case .notDone, .unknown: return (false, .leftBehind(error, in: from))
            }
        }
    }

    /// Extends the deadline by the time of a call, to take the move back.
    private mutating func beginTakingBack() {
        if isTakingBack { return }
        isTakingBack = true
        if limit != nil { limit = .after(migration.timeout) }
    }

    /// Puts the choice of a running app back under the target's lock, so that it never names a slot without the user.
    private mutating func goBack() -> Bool {
        let (changed, deadline) = (changed, deadline)
        do throws(AuthError) {
            try slots(of: step.apps.first).inTurn(of: to, by: deadline, reading: {}) { () throws(AuthError) in
                for place in changed { try place.putBack(from: to, by: deadline) }
            }
        } catch {
            return false
        }
        for place in copies.indices { copies[place].isChosen = false }
        return true
    }

    /// Stores the choices and deletes the originals, unless the source has changed.
    ///
    /// - Returns: the contents of the source afterwards, and whether the originals were deleted.
    private mutating func leave(
        _ contents: SlotContents,
        _ progress: () -> Void
    ) throws(AuthError) -> (SlotContents, isDeleted: Bool) {
        let (slots, leaving) = (sourceSlots, step.selection.leaving(contents.record))
        var isDeleted = false
        let after = try slots.update(
            from,
            // Storing many choices takes time.
            by: limit ?? .after(migration.timeout * (1 + apps.count / 10)),
            settledIf: { found in isDeleted && !leaving.accounts.contains(where: found.record.holds) }
        ) { found in
            guard found.revision == contents.revision else { return .keep }
            choose(contents, progress)
            isDeleted = isEverybodyThere && joining.isEmpty && isDurable && !leaving.accounts.isEmpty
            let rest = found.record.removing(accountsOf: leaving)
            return isDeleted && rest != found.record ? .store(rest) : .keep
        }
        return (after, isDeleted)
    }

    /// Stores the target as the choice of each app that is to find its users there.
    private mutating func choose(_ contents: SlotContents, _ progress: () -> Void) {
        hasChosen = true
        let moved = step.selection.moved(of: contents.record).accounts.map(\.id)
        for (place, app) in apps.enumerated() where isThere(place) {
            // The originals are needed until all apps have left.
            let isLast = place == apps.count - 1 && isEverybodyThere && joining.isEmpty
            var error: AuthError?
            do throws(AuthError) {
                if let app, !isOnlyDeletionLeft {
                    let places = try app.choose(
                        self,
                        of: joining.contains(place) ? [] : moved,
                        leaving: isLast ? contents : nil,
                        isReturning: returning.contains(app.id),
                        isDurable: isDurable,
                        run: daemonRun
                    )
                    changed += places
                    results[place] = .success(!places.isEmpty)
                }
            } catch let failure {
                error = failure
                results[place] = .failure(failure)
            }
            if error == nil && !joining.contains(place) || error?.code == .outcomeUnknown, let copied = index(of: app) {
                copies[copied].isChosen = true
            }
            progress()
        }
    }

    /// Notes the result of an app: its users have left the source, or have not arrived at the target.
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
            // The next start tries again.
            if isResumed { return }
            beginTakingBack()
            takeBack(app)
            guard let begun = begun(id) else { return }
            let journals = app.journals.filter { (try? $0.read(by: deadline).steps.contains(begun)) ?? true }
            if error.code != .outcomeUnknown, copy(for: app)?.isChosen != true {
                for journal in journals { journal.noteEnded(begun, by: deadline) }
            } else if !journals.isEmpty {
                // The next start settles a result that is unknown.
                pending.insert(app.id)
                results[place] = .failure(.pending(error))
            }
        }
    }

    /// Takes back the copy for an app, if no choice needs it.
    private mutating func takeBack(_ app: UserMigration.AppPlace?) {
        guard let place = index(of: app), !copies[place].isChosen else { return }
        // A copy that another process has overwritten stays.
        if copies[place].takeBack(from: to, by: deadline) {
            copies.remove(at: place)
        } else {
            copies[place].isChosen = true
        }
    }

    // MARK: One app

    /// The users that an app finds at the target.
    private enum Found {
        /// The moved users, as far as they have to arrive there.
        case users
        /// Another user, whom the app joins.
        case another
    }

    /// Copies the users to the slot in which an app is to find them, and reads them back.
    private mutating func bring(
        _ app: UserMigration.AppPlace?,
        _ contents: SlotContents,
        _ save: UserMigration.SaveReplaced
    ) throws(AuthError) -> Found {
        let chosenSlot = try app?.chosenSlot(from: from, to: to, by: deadline)
        if case .elsewhere(let slot, let path) = chosenSlot, let app { throw .elsewhere(app.id, slot, path) }
        if case .leavingTarget = chosenSlot, let app { returning.insert(app.id) }
        if step.selection.isOfNobody { return .another }
        // An app that is in its own slot does not need the users of the group.
        if isOnlyDeletionLeft || to == .own && chosenSlot == .atTarget { return .users }
        // All apps share the slot of a group.
        if to != .own, !joining.isEmpty { return .another }
        let former = index(of: app)
        if let former, copies[former].source == contents.revision { return .users }
        if former == nil, !isResumed, let app,
            let begun = begun(step.selection.moved(of: contents.record).mainAccount?.id)
        {
            for journal in try app.concerned(from, by: deadline) {
                let isAtSource = try journal.read(by: deadline).slot == from
                if isAtSource || app.isRunning { try journal.noteBegun(begun, by: deadline) }
            }
        }
        let slots = slots(of: app)
        for _ in 1...Self.attempts {
            let made: SlotCopy
            do throws(AuthError) {
                made = try SlotCopy(of: contents, in: slots, self, namingOriginals: !isDurable, by: deadline, save)
            } catch {
                if limit == nil, app != nil, isJoin(error) { return .another }
                throw error
            }
            if let place = index(of: app) { copies[place].take(made) } else { copies.append(made) }
            if try slots.read(to, by: deadline).revision == copy(for: app)?.contents.revision { return .users }
        }
        throw .changedMeanwhile(to)
    }

    func slots(of app: UserMigration.AppPlace?) -> UserSlots { app?.slots ?? sourceSlots }

    private func index(of app: UserMigration.AppPlace?) -> Int? {
        copies.firstIndex { to != .own || $0.slots.appID == slots(of: app).appID }
    }

    private func copy(for app: UserMigration.AppPlace?) -> SlotCopy? { index(of: app).map { copies[$0] } }
}

extension AuthError {
    static func changedMeanwhile(_ slot: Slot) -> AuthError {
        AuthError(.conflict, "Another process changed \(slot.description) meanwhile.", remedy: "Migrate again.")
    }

    /// Returns the error of a move that the app's next start settles.
    fileprivate static func pending(_ error: AuthError) -> AuthError {
        AuthError(
            .outcomeUnknown,
            "The move has begun and is not finished: \(error.message)",
            remedy: "Migrate again, or start the app: it finishes the move, or drops it if the copy was not written.",
            underlying: error
        )
    }

    /// Returns the error for originals that could not be deleted although everything else was done.
    fileprivate static func leftBehind(_ error: AuthError, in slot: Slot) -> AuthError {
        AuthError(
            error.code == .conflict ? .outcomeUnknown : error.code,
            "The user was copied and the choice stored, but a copy is still in \(slot.description): \(error.message)",
            remedy: "Migrate again, or start the app: either deletes it.",
            underlying: error
        )
    }
}
