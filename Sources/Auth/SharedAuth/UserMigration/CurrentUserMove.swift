extension Operation {
    /// Moves the current user to another slot and switches there: a migration of one app and one account, within the
    /// deadline of this operation.
    ///
    /// - Throws: `nullUser` if there is no current user; `accessGroupOccupied` if the policy does not admit the user;
    ///   `tenantIDMismatch` if another user, who has another tenant, would become current; `conflict` if another
    ///   process changes the slots; `outcomeUnknown` if the app's next start settles the move; an error of the keyring
    ///   or of the journal.
    func migrateCurrentUser(to target: Slot, _ policy: MigrationPolicy) throws(AuthError) {
        let source = try slotInUse().slot
        let choice = (try? journal.read(by: deadline)) ?? GroupChoice()
        try finishDeletions(of: choice, in: target)
        try slots.forgetLocation(of: source)
        try slots.forgetLocation(of: target)
        let (original, present) = try slots.read(source, and: target, by: deadline)
        let contents = try original.get()
        if contents.revision == nil { try engine.reader.check(source, by: deadline) }
        // A user whom a peer has signed out must not come back at the target.
        let held = take(contents, in: source)
        // Another process has migrated the user in the meantime.
        if state.slot != source { return try migrateCurrentUser(to: target, policy) }
        guard let user = state.user else {
            throw AuthError(.nullUser, "There is no current user to migrate from \(source.description). Sign in first.")
        }
        if source == target { return }
        do throws(AuthError) {
            try move(user, from: source, holding: held, to: target, holding: present, policy)
            finishDeletions(of: choice)
        } catch {
            guard error.code == .accessGroupOccupied else { throw error }
            switch policy {
            case .fail, .replace, .add: throw error
            case .skip: return
            case .join: try switchTo(target, leavingUser: true)
            }
        }
    }

    /// - Parameter present: the contents that were found at the target.
    private func move(
        _ user: User,
        from source: Slot,
        holding held: SlotContents,
        to target: Slot,
        holding present: Result<SlotContents, AuthError>,
        _ policy: MigrationPolicy
    ) throws(AuthError) {
        let move = UserMigration(of: engine, from: source, to: target, ifOccupied: policy, .running(deadline))
        let isStored = held.record.account(user.id) != nil
        let step = UserMigration.Step(of: [user.id], in: held, of: engine) { [engine] contents in
            var seen = engine.unsavedTokens.overlay(contents, in: source)
            // A user who could not be saved is current nevertheless.
            if !isStored, seen.record.account(user.id) == nil {
                seen.record = seen.record.signingIn(user.snapshot, keepingOthers: true)
            }
            return seen
        }
        switch present {
        case .success(let present):
            let users = step.selection.moved(of: try step.found.get().record)
            let merge = try move.merge(users, into: present.record)
            if merge.record.current != user.id { try state.checkTenant(of: merge.record.currentAccount) }
        case .failure(let error):
            // The policy decides about damage. A record that is empty because a daemon died while writing it holds no
            // user.
            if error.code != .recordDamaged { throw error }
        }
        guard let (copy, used) = try carryOut(move, step) else {
            return try migrateCurrentUser(to: target, policy)
        }
        apply(copy.record.current == user.id ? .moved(user, to: used, copy) : .switched(to: used, copy))
        journal.clearKeepers(of: source, by: deadline)
    }

    /// Moves one account, and returns the contents of the target and the slot as this process uses it from now on; nil
    /// if another process of the app has finished the move.
    func carryOut(
        from source: Slot,
        to target: Slot,
        ifOccupied policy: MigrationPolicy,
        moving id: AccountID,
        in contents: SlotContents
    ) throws(AuthError) -> (copy: SlotContents, used: SlotInUse)? {
        try carryOut(
            UserMigration(of: engine, from: source, to: target, ifOccupied: policy, .running(deadline)),
            UserMigration.Step(of: [id], in: contents, of: engine)
        )
    }

    private func carryOut(
        _ migration: UserMigration,
        _ step: UserMigration.Step
    ) throws(AuthError) -> (copy: SlotContents, used: SlotInUse)? {
        let (outcomes, move) = MovePlan(migration: migration, step: step).perform({ _ in }) {}
        // Without an error, another process has chosen the target in the meantime.
        guard let move, let app = move.apps.first, app.failure == nil, let copy = move.copies.first else {
            throw outcomes.compactMap(\.error).first ?? .changedMeanwhile(migration.from)
        }
        guard let chosen = app.changed.first?.change else { return nil }
        return (copy.contents, SlotInUse(migration.to, lastMove: chosen.move?.nonce))
    }

    /// Finishes a migration whose process died, if the copies are at the target and the source still holds the users;
    /// follows, if another app of the source has finished it; else drops the steps. Takes the copies back if other apps
    /// still need the source.
    func resume(_ migration: UnfinishedMigration) throws(AuthError) {
        if !migration.sessions.isEmpty { return try migration.takeBack(in: journal, of: slots, by: deadline) }
        let (source, target) = (migration.source, migration.target)
        if source != target {
            try engine.identity.checkStoredChoice(of: target, in: journal.path)
            let (present, original) = try slots.read(target, and: source, by: deadline)
            let (copy, held) = (try present.get().record, try original.get())
            // A user who is missing has signed out there since, unless another app has finished the migration.
            let users = held.record.accounts.filter { user in migration.users.contains { $0.mayMean(user.id) } }
            let copied = users.filter { copy.hasCopy(of: $0) }
            if !copied.isEmpty {
                _ = try carryOut(
                    UserMigration(of: engine, from: source, to: target, ifOccupied: .add, .resumed(deadline)),
                    UserMigration.Step(of: copied.map(\.id), in: held, of: engine)
                )
                return
            }
            if users.isEmpty, try !migration.follow(in: journal, to: copy, of: slots, by: deadline).isEmpty { return }
        }
        try journal.change(by: deadline) { $0.end(migration) }
    }
}

extension MoveRunner {
    /// Creates the runner of a switch by hand.
    ///
    /// - Parameter reading: reads the target while the lock of the slot that is left is acquired.
    convenience init(
        switching engine: AuthEngine,
        _ change: ChoiceChange,
        over before: Operation.PresentChoice,
        by deadline: Deadline,
        reading: @escaping () throws(AuthError) -> Void
    ) {
        let (slot, target) = (before.choice.slot, change.target)
        let place = AppMove.Place(hasChoice: !before.isDamaged, choice: before.choice, path: engine.journal.path)
        self.init(
            Move(change, from: slot, of: AppMove(engine.slots.appID, isRunning: true, places: [place])),
            MovePlan(
                migration: UserMigration(of: engine, from: slot, to: target, ifOccupied: .fail, .running(deadline)),
                step: UserMigration.Step(
                    uid: nil,
                    apps: [.running(of: engine)],
                    found: .success(SlotContents()),
                    selection: UserMigration.Selection([])
                )
            ),
            reading: reading
        )
    }
}

extension UserMigration {
    /// Creates the move of one account by the app that uses both slots.
    fileprivate init(
        of engine: AuthEngine,
        from source: Slot,
        to target: Slot,
        ifOccupied policy: MigrationPolicy,
        _ course: Course
    ) {
        self.init(
            source: source.groupName,
            target: target.groupName,
            policy: policy,
            project: engine.slots.project,
            instance: engine.slots.instance,
            store: engine.slots.store,
            directories: StateDirectories(own: "", home: "", given: []),
            timeout: engine.options.timeout,
            course: course,
            keepsOtherUsers: engine.options.keepsOtherUsers
        )
    }
}

extension UserMigration.Step {
    /// Creates the step that moves accounts. The source's current one, or else the first, becomes current at the target if
    /// no other account is current there.
    fileprivate init(
        of ids: [AccountID],
        in contents: SlotContents,
        of engine: AuthEngine,
        seenAs see: @escaping @Sendable (SlotContents) -> SlotContents = { $0 }
    ) {
        let main = ids.first { $0 == contents.record.current } ?? ids.first
        let seen: @Sendable (SlotContents) -> SlotContents = { contents in
            var seen = see(contents)
            if let main, seen.record.account(main) != nil { seen.record = seen.record.selecting(main) }
            return seen
        }
        self.init(
            uid: main?.uid,
            apps: [.running(of: engine)],
            found: .success(seen(contents)),
            selection: UserMigration.Selection(ids),
            seen: seen
        )
    }
}
