/// The taking back of copies and choices.
extension MoveRunner {
    /// Takes a copy back and ends the steps, unless another process has overwritten the copy or chosen its slot. Holds
    /// the journals with the steps meanwhile: nobody continues the move with a copy that is no longer there.
    ///
    /// - Returns: true if the users that were not at the target before are no longer there.
    func takeBack(_ copy: SlotCopy, ending steps: [GroupChoice.Pending], _ app: Int) -> Bool {
        if !copy.isOurs { return true }
        guard bringBackTokens(of: copy, app) else { return false }
        let journals = journalsToChoose(copy, app)
        var holds: [Journal.Hold] = []
        defer { for hold in holds { hold.release() } }
        var isChosen = false
        let after = try? plan.slots(of: plan.apps[app]).update(plan.to, by: deadline) { found throws(AuthError) in
            guard found.revision == copy.contents.revision else { return .keep }
            if !steps.isEmpty, holds.isEmpty {
                for journal in journals { holds.append(try journal.hold(by: deadline)) }
            }
            for journal in journals {
                let choice = try journal.read(by: deadline)
                isChosen = isChosen || choice.slot == plan.to
            }
            return isChosen ? .keep : .store(copy.former, in: .full)
        }
        guard let after, !isChosen, copy.arrivals.allSatisfy({ !after.record.holds($0) }) else { return false }
        for hold in holds {
            for step in steps { hold.noteEnded(step, by: deadline) }
        }
        return true
    }

    /// Saves tokens that were refreshed in a copy in the source, which has those that they were exchanged for.
    ///
    /// - Returns: false if that fails. The copy must stay then.
    private func bringBackTokens(of copy: SlotCopy, _ app: Int) -> Bool {
        guard let found = try? plan.slots(of: plan.apps[app]).read(plan.to, by: deadline).record else { return false }
        let refreshed = copy.refreshed(in: found)
        if refreshed.accounts.isEmpty { return true }
        let after = try? plan.sourceSlots.update(plan.from, by: deadline) { found in
            let record = found.record.refreshed(as: refreshed)
            return record == found.record ? .keep : .store(record, in: .exchange(of: refreshed.accounts[0].id))
        }
        return after != nil
    }

    /// Returns the journals of the apps that are to find their users in a copy, as far as they had another choice when
    /// the move began.
    private func journalsToChoose(_ copy: SlotCopy, _ app: Int) -> [Journal] {
        let apps = plan.to == .own ? [app] : Array(move.apps.indices)
        return apps.flatMap { app in move.apps[app].placesToChoose.compactMap { journal(app, $0) } }
    }

    func putBack(_ changed: [AppMove.Changed], _ app: Int, isInTurn: Bool) throws(AuthError) {
        guard let app = plan.apps[app] else { return }
        // What precedes may have used the time up.
        guard isInTurn else { return try app.putBack(changed, by: .after(timeout)) }
        let deadline = deadline
        try app.slots.inTurn(of: plan.to, by: deadline, reading: {}) { () throws(AuthError) in
            try app.putBack(changed, by: deadline)
        }
    }
}
