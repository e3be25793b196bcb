/// What `migrateCurrentUser` does when another user is signed in at the target.
public enum MigrationPolicy: Sendable, Hashable {
    /// Throw `accessGroupOccupied`, and change nothing.
    case failIfOccupied
    /// Put the migrating user in the other's place, or in that of a record that cannot be read, which is set aside.
    case replace
    /// Join the other user there; the migrating user stays stored where they are.
    case keepTarget
}

extension Operation {
    /// Moves the current user to another slot and switches there.
    func migrateCurrentUser(to target: Slot, _ policy: MigrationPolicy) throws(AuthError) {
        let source = try currentSlot()
        try finishDeletions()
        try slots.forgetLocation(of: source)
        try slots.forgetLocation(of: target)
        let (original, found) = try slots.read(source, and: target, by: deadline)
        let contents = try original.get()
        if contents.revision == nil { try engine.reader.check(source, by: deadline) }
        // A user whom a peer has signed out must not come back in the target.
        let held = take(contents, in: source)
        // Another process has migrated the user meanwhile.
        if state.slot != source { return try migrateCurrentUser(to: target, policy) }
        guard let user = state.user else {
            throw AuthError(.nullUser, "There is no current user to migrate from \(source.description). Sign in first.")
        }
        if source == target { return }
        if let occupant = try occupant(of: target, as: found, policy), occupant != user.id {
            switch policy {
            case .failIfOccupied: throw .occupied(target)
            case .keepTarget:
                try switchTo(target, leavingUser: true)
                return
            case .replace: break
            }
        }
        try Migration(
            user: user,
            source: source,
            target: target,
            policy: policy,
            isStored: held.record.account(user.id) != nil,
            operation: self
        ).run()
    }

    /// Who is signed in at the target; nil for a record that is to be replaced because it cannot be read.
    private func occupant(
        of target: Slot,
        as found: Result<SlotContents, AuthError>,
        _ policy: MigrationPolicy
    ) throws(AuthError) -> AccountID? {
        do throws(AuthError) {
            return try found.get().record.current
        } catch {
            // What a daemon left that died in mid-write holds nothing.
            let isEmpty = error.code == .recordDamaged && (try? slots.readMissing(target, by: deadline)) != nil
            guard isEmpty || error.code == .recordDamaged && policy == .replace else { throw error }
            return nil
        }
    }
}

/// One move of a user between slots: note what is begun, copy and read back, store the choice, delete the original.
///
/// At every instant the user is in at least one of the slots, and the stored choice is of one that holds the user.
struct Migration {
    let user: User
    let source: Slot
    let target: Slot
    let policy: MigrationPolicy
    /// Whether the source holds the user; one who could not be saved there is current all the same.
    let isStored: Bool
    let operation: Operation

    private var slots: UserSlots { operation.slots }
    private var journal: Journal { operation.journal }
    private var deadline: Deadline { operation.deadline }
    private var step: GroupChoice.Pending { .migration(of: user.id, to: target) }

    /// What the migration has written to the target, and what it took the place of.
    private struct Copy {
        var contents: SlotContents
        var overwritten = UserRecord()
        /// Whether this migration wrote it; else the same user was there already, with newer tokens.
        var isOurs = false
    }

    func run() throws(AuthError) {
        try journal.change(by: deadline) { $0.begin(step) }
        var copy = Copy(contents: SlotContents())
        do throws(AuthError) {
            let isDurable = try isStoreDurable()
            try place(user.snapshot, keepsOriginal: !isDurable, &copy)
            try leave(isDurable, try confirm(copy), &copy)
        } catch {
            try settle(&copy, after: error)
        }
        operation.apply(.moved(user, to: target, copy.contents))
        journal.clearKeepers(of: source, by: deadline)
        operation.engine.observer?.follow(target)
    }

    /// Goes on with a migration whose process died, if the copy had arrived.
    static func resume(of id: AccountID, from source: Slot, to target: Slot, _ operation: Operation) throws(AuthError) {
        if source == target {
            try operation.journal.change(by: operation.deadline) { $0.endMigration(of: id, to: target) }
            return
        }
        try operation.engine.identity.checkStoredChoice(of: target, in: operation.journal.path)
        let found = try operation.slots.read(target, by: operation.deadline)
        // Before the choice is stored nothing is deleted: a user who is missing was signed out there since.
        let held = try operation.slots.read(source, by: operation.deadline)
        guard let account = found.record.currentAccount, id.mayMean(account.id), held.record.account(account.id) != nil
        else {
            // The copy never arrived, or the user has left it: nothing was migrated.
            try operation.journal.change(by: operation.deadline) { $0.endMigration(of: id, to: target) }
            return
        }
        let migration = Migration(
            user: User(account, auth: nil, slot: target),
            source: source,
            target: target,
            policy: .failIfOccupied,
            isStored: true,
            operation: operation
        )
        var copy = Copy(contents: found)
        try migration.leave(try migration.isStoreDurable(), held, &copy)
    }

    /// Copies the account to where it moves.
    private func place(_ account: Account, keepsOriginal: Bool, _ copy: inout Copy) throws(AuthError) {
        var account = account
        if keepsOriginal, let revision = operation.state.revision {
            account.remainingOriginals.append(try slots.copiedFrom(source, at: revision))
        }
        let moved = account
        var made = Copy(contents: SlotContents())
        made.contents = try slots.update(
            target,
            by: deadline,
            ifDamaged: policy == .replace ? .setAside : .replaceEmpty,
            settledIf: { $0.record.currentAccount == moved }
        ) { found throws(AuthError) in
            let occupant = found.record.currentAccount
            if let occupant, occupant.id != moved.id, policy != .replace { throw .occupied(target) }
            made.overwritten = found.record
            if var occupant, occupant.id == moved.id, occupant.tokens.isNewer(than: moved.tokens) {
                guard keepsOriginal else { return .keep }
                made.isOurs = true
                occupant.remainingOriginals += moved.remainingOriginals
                return .store(found.record.replacing(occupant))
            }
            made.isOurs = true
            return .store(
                found.record.signingIn(moved, keepingOthers: operation.engine.options.keepsOtherUsers)
            )
        }
        copy = made
    }

    /// Reads the copy back, and the original once more, which is to be left.
    private func confirm(_ copy: Copy) throws(AuthError) -> SlotContents {
        let (found, original) = try slots.read(target, and: source, by: deadline)
        if try found.get().revision == copy.contents.revision { return try original.get() }
        throw .changedMeanwhile(target)
    }

    /// Stores the choice of the target and deletes the original, in one turn of the source; if a peer gave that newer tokens meanwhile, they
    /// are copied first. Where the store may still forget the copy, the original is left for a later start.
    private func leave(_ isDurable: Bool, _ original: SlotContents, _ copy: inout Copy) throws(AuthError) {
        var original = original
        for _ in 0..<3 {
            // Whom a peer has signed out meanwhile must not live on in the target.
            if isStored, original.record.account(user.id) == nil { throw .changedMeanwhile(source) }
            try bringNewerTokens(of: original, &copy)
            let read = original.revision
            var staying: GroupChoice.Original?
            if !isDurable, let read, original.record.account(user.id) != nil {
                try name(original: read, &copy)
                let daemon = operation.engine.reader.daemonRun(by: deadline)
                staying = .init(user.id, slot: source, revision: read, target: target, daemon: daemon)
            }
            let isCurrent = original.record.current == user.id
            let deletion = read.map {
                GroupChoice.Pending.deletion(of: source, revision: $0, accounts: isCurrent ? nil : [user.id])
            }
            var isChosen = false
            original = try slots.update(
                source,
                by: deadline,
                settledIf: { isChosen && $0.record.account(user.id) == nil }
            ) { contents throws(AuthError) in
                if contents.revision != read { return .keep }
                if !isChosen { try choose(leaving: staying, deleting: deletion) }
                isChosen = true
                return staying == nil && contents.record.account(user.id) != nil
                    ? .store(contents.record.removing(user.id)) : .keep
            }
            guard isChosen else { continue }
            if staying == nil, let deletion {
                operation.engine.afterReturn { [journal] deadline in journal.strikeOut(deletion, by: deadline) }
            }
            return
        }
        throw AuthError(.conflict, "Another app keeps changing \(source.description). Try again.")
    }

    /// Stores the choice of the target, with what is to be done after it, in the place of the step; the caller has the source's turn.
    ///
    /// - Throws: `conflict` if another process has moved the user elsewhere.
    private func choose(
        leaving original: GroupChoice.Original?,
        deleting deletion: GroupChoice.Pending?
    ) throws(AuthError) {
        var isCancelled = false
        try journal.change(by: deadline) { choice in
            isCancelled = choice.slot != source || !choice.isMoving(to: target)
            if isCancelled { return }
            choice.slot = target
            choice.endMigration(of: user.id, to: target)
            choice.remainingOriginals.removeAll { $0.slot == target }
            if let original {
                choice.remainingOriginals.append(original)
            } else if let deletion {
                choice.begin(deletion)
            }
        }
        if isCancelled { throw .changedMeanwhile(source) }
    }

    /// Has the copy name the original as it is now, so that a sign-out finds it.
    private func name(original revision: Revision, _ copy: inout Copy) throws(AuthError) {
        let original = try slots.copiedFrom(source, at: revision)
        guard var account = copy.contents.record.account(user.id), !account.remainingOriginals.contains(original)
        else {
            return
        }
        account.remainingOriginals.append(original)
        let (named, read) = (account, copy.contents.revision)
        copy.contents = try slots.update(target, by: deadline) { found throws(AuthError) in
            guard found.revision == read else { throw .changedMeanwhile(target) }
            return .store(found.record.replacing(named))
        }
    }

    private func bringNewerTokens(of original: SlotContents, _ copy: inout Copy) throws(AuthError) {
        guard var account = original.record.account(user.id),
            let copied = copy.contents.record.account(user.id),
            account.tokens != copied.tokens, account.tokens.isNewer(than: copied.tokens)
        else { return }
        account.remainingOriginals = copied.remainingOriginals
        let read = copy.contents.revision
        copy.contents = try slots.update(target, by: deadline) { found throws(AuthError) in
            guard found.revision == read else { throw .changedMeanwhile(target) }
            return .store(found.record.replacing(account))
        }
    }

    private func isStoreDurable() throws(AuthError) -> Bool {
        do throws(RecordStoreError) {
            return try slots.store.isDurableOnAcknowledge(by: deadline)
        } catch {
            throw AuthError(error, in: target)
        }
    }

    // MARK: After a failure

    /// Takes back what was done, or goes on where that is safer; it has the time of a call once more.
    ///
    /// - Throws: `error` if all is as before, or what was begun could not be taken back.
    private func settle(_ copy: inout Copy, after error: AuthError) throws(AuthError) {
        let deadline = Deadline.after(operation.engine.options.timeout)
        guard let reached = try? journal.read(by: deadline) else { throw .unsettled(error) }
        if reached.slot != target {
            // Where the outcome of the copy is unknown, the step stays for the next start to settle it.
            guard copy.contents.revision != nil else {
                if error.code != .outcomeUnknown {
                    _ = try? journal.change(by: deadline) { $0.endMigration(of: user.id, to: target) }
                }
                throw error
            }
            if takeBack(copy, reached, by: deadline) { throw error }
            throw .unsettled(error)
        }
        // Once the choice is stored, the original is what says whether to go back.
        let outcome = operation.outcome(ofDeletionIn: source, failedWith: error, by: deadline) {
            $0.account(user.id) == nil
        }
        if case .notDone = outcome, takeBack(copy, reached, by: deadline) { throw error }
    }

    /// Takes the copy back, the choice first, so that at no instant the stored choice is of a slot that does not hold the user.
    ///
    /// - Returns: whether all is as before; if not, the stored choice says how far it came.
    private func takeBack(_ copy: Copy, _ reached: GroupChoice, by deadline: Deadline) -> Bool {
        let before = { (choice: inout GroupChoice) in
            choice.slot = source
            choice.remainingOriginals = reached.remainingOriginals.filter {
                $0.slot != source || !$0.id.mayMean(user.id)
            }
            choice.steps.removeAll { step in
                if case .deletion(source, _, _) = step { true } else { false }
            }
        }
        if reached.slot == target {
            let isBack = try? slots.inTurn(of: target, by: deadline, reading: {}) { () throws(AuthError) in
                try journal.change(by: deadline) { choice in
                    before(&choice)
                    choice.begin(step)
                }
            }
            guard isBack != nil else { return false }
        }
        if copy.isOurs {
            let undone = try? slots.update(target, by: deadline) { found in
                found.revision == copy.contents.revision ? .store(copy.overwritten) : .keep
            }
            // What a peer has written over the copy is still of the user.
            let isThere = undone.map { $0.record.current == user.id && copy.overwritten.current != user.id } ?? true
            if isThere {
                if reached.slot == target {
                    _ = try? slots.inTurn(of: source, by: deadline, reading: {}) { () throws(AuthError) in
                        try journal.change(by: deadline) { $0 = reached }
                    }
                }
                return false
            }
        }
        return (try? journal.change(by: deadline) { $0.endMigration(of: user.id, to: target) }) != nil
    }
}

extension AuthError {
    fileprivate static func occupied(_ slot: Slot) -> AuthError {
        AuthError(
            .accessGroupOccupied,
            "Another user is signed in to \(slot.description).",
            remedy: "Sign them out there, or migrate with the policy replace or keepTarget."
        )
    }

    fileprivate static func changedMeanwhile(_ slot: Slot) -> AuthError {
        AuthError(.conflict, "Another app changed \(slot.description) meanwhile. Read again and repeat.")
    }

    /// What a migration throws that could neither be finished nor be taken back.
    fileprivate static func unsettled(_ error: AuthError) -> AuthError {
        AuthError(
            .outcomeUnknown,
            "\(error.text) The copy at the target could not be taken back; migrate again, or the next start finishes "
                + "the migration.",
            underlying: error
        )
    }
}
