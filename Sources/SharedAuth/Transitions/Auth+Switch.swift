internal import SecretService
internal import Synchronization

extension Auth {
    /// Switches to a slot: read and check it, store the choice, delete what is left behind, announce.
    ///
    /// Only joining a group from the own slot leaves something behind, unless `leavingUser`.
    func switchTo(_ target: Slot, _ operation: Operation, leavingUser: Bool = false) throws(AuthError) {
        try settlePending(within: operation.deadline)
        let watch = feed?.watchEarly(target, within: operation.deadline, on: queue)
        let contents = try read(target, within: operation.deadline)
        let account = contents.record.currentAccount
        try checkTenant(of: account)
        let (before, user, revision) = memory.withLock { ($0.choice, $0.user, $0.revision) }
        var choice = GroupChoice(slot: target, originals: before?.originals(leaving: target))
        if before?.slot == .own, target != .own, !leavingUser, user != nil, let revision {
            choice.pending = .deletion(of: .own, revision: revision)
        }
        // Another process of this app may have chosen since.
        if choice != before || (try? choiceFile.read()) != choice { try choiceFile.write(choice) }
        if choice.pending != nil, let user {
            do throws(AuthError) {
                try leaveOwnSlot(user.uid, within: operation.deadline)
                choice.pending = nil
                providerNotes.clear(.own)
                // Should this be lost, the next start finds nothing left to delete.
                try? choiceFile.write(choice, durably: false)
            } catch {
                // A user who may or may not be deleted is no reason to go back; what is left goes later.
                if error.code != .outcomeUnknown { try putBack(before, after: error) }
            }
        }
        memory.withLock { memory in
            memory.choice = choice
            settle(account.map { User($0, auth: self, slot: target) }, at: contents.revision, in: &memory)
        }
        // What is still pending is tried again by a look at once.
        if let feed { follow(target, with: feed, since: choice.pending == nil ? watch : nil) }
    }

    /// Throws `tenantIDMismatch` when a user belongs to another tenant than this `Auth`.
    func checkTenant(of account: Account?) throws(AuthError) {
        guard let account else { return }
        let tenantID = memory.withLock { $0.tenantID }
        if account.profile.tenantID == tenantID { return }
        throw AuthError(
            .tenantIDMismatch,
            "The user belongs to \(account.profile.tenantID.map { "tenant \($0)" } ?? "no tenant"), this Auth to "
                + "\(tenantID.map { "tenant \($0)" } ?? "none"). Set auth.tenantID to the user's first."
        )
    }

    /// Deletes the own slot's user on joining a group, as Firebase does; somebody else found there stays.
    private func leaveOwnSlot(_ uid: String, within deadline: Deadline) throws(AuthError) {
        _ = try slots.update(.own, within: deadline, settledIf: { $0.record.current != uid }) { contents in
            contents.record.current == uid ? .store(contents.record.removing(uid)) : .keep
        }
    }

    private func putBack(_ choice: GroupChoice?, after error: AuthError) throws(AuthError) -> Never {
        do throws(AuthError) {
            try choiceFile.write(choice ?? GroupChoice())
        } catch let second {
            throw AuthError(
                error.code,
                "\(error.text) The choice of group could not be put back either, so the next start will finish the "
                    + "switch. \(second.text)",
                underlying: error
            )
        }
        throw error
    }

    /// Finishes what an earlier process of this app began and did not end, if what is in use can be read.
    ///
    /// What cannot be finished waits for the next start: nothing is lost by a user too many in a slot not in use.
    func finishInterrupted(
        _ choice: GroupChoice,
        within deadline: Deadline
    ) throws(AuthError) -> (GroupChoice, SlotContents) {
        var choice = choice
        if case .migration(let uid, let target) = choice.pending {
            do throws(AuthError) {
                choice = try resumeMigration(of: uid, from: choice.slot, to: target, within: deadline)
            } catch {
                // However far it came, the file says so.
                choice = try choiceFile.read()
            }
        }
        let contents = try read(choice.slot, within: deadline)
        if case .deletion(let slot, let revision) = choice.pending,
            (try? removeLeftBehind(in: slot, at: revision, within: deadline)) != nil
        {
            choice.pending = nil
            try? choiceFile.write(choice)
        }
        return (deleteOriginals(noted: choice, havingRead: contents, within: deadline), contents)
    }

    /// Deletes what an earlier switch or migration of this process had to leave behind.
    func settlePending(within deadline: Deadline) throws(AuthError) {
        guard let pending = memory.withLock({ $0.choice?.pending }), case .deletion(let slot, let revision) = pending
        else {
            return
        }
        try removeLeftBehind(in: slot, at: revision, within: deadline)
        try amendChoice(durably: false) { if $0.pending == pending { $0.pending = nil } }
    }

    /// Changes a part of the choice, in the file and here: another process of this app may have made another choice since.
    func amendChoice(durably: Bool = true, _ amend: (inout GroupChoice) -> Void) throws(AuthError) {
        guard var choice = memory.withLock({ $0.choice }) else { return }
        var stored = (try? choiceFile.read()) ?? choice
        let before = stored
        amend(&stored)
        if stored != before { try choiceFile.write(stored, durably: durably) }
        amend(&choice)
        let amended = choice
        memory.withLock { $0.choice = amended }
    }

    /// Removes the current user of a slot that is not in use, if it holds what it held at this revision.
    func removeLeftBehind(
        in slot: Slot,
        at revision: Revision,
        within deadline: Deadline
    ) throws(AuthError) {
        _ = try slots.update(slot, within: deadline) { left in
            guard left.revision == revision, let uid = left.record.current else { return .keep }
            return .store(left.record.removing(uid))
        }
    }
}
