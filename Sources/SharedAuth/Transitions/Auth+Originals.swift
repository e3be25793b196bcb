internal import SecretService
internal import Synchronization

/// Where the store may forget what it has acknowledged, a migration leaves the original in its slot: a crash of the
/// store then costs a copy, not the user.
extension Auth {
    /// Deletes the originals whose copies this start has read. What fails is tried again by the next start.
    ///
    /// - Returns: the choice that holds from now on.
    func deleteOriginals(
        noted choice: GroupChoice,
        havingRead contents: SlotContents,
        within deadline: Deadline
    ) -> GroupChoice {
        guard let originals = choice.originals else { return choice }
        var settled = choice
        settled.originals = GroupChoice.noted(
            originals.filter { original in
                guard contents.record.account(original.uid) != nil else { return true }
                let removal: Void? = try? removeLeftBehind(in: original.slot, at: original.revision, within: deadline)
                return removal == nil
            }
        )
        if settled != choice { try? choiceFile.write(settled) }
        return settled
    }

    /// Deletes the originals of a user who is about to be signed out: they must not come back from there.
    func deleteOriginals(of uid: String, within deadline: Deadline) throws(AuthError) {
        let originals = memory.withLock { $0.choice?.originals ?? [] }.filter { $0.uid == uid }
        if originals.isEmpty { return }
        for original in originals {
            try removeLeftBehind(in: original.slot, at: original.revision, within: deadline)
        }
        try amendChoice { choice in
            choice.originals = GroupChoice.noted((choice.originals ?? []).filter { !originals.contains($0) })
        }
    }

    /// Deletes the originals of all users of a slot, who are about to be signed out.
    func deleteOriginals(ofAllIn slot: Slot, within deadline: Deadline) throws(AuthError) {
        let noted = Set(memory.withLock { $0.choice?.originals ?? [] }.map(\.uid))
        if noted.isEmpty { return }
        // Whoever may be in a damaged record is signed out with it.
        let leaving = (try? slots.read(slot, within: deadline)).map { Set($0.record.accounts.map(\.uid)) } ?? noted
        for uid in noted.intersection(leaving) { try deleteOriginals(of: uid, within: deadline) }
    }
}

extension GroupChoice {
    /// No list at all stands for an empty one.
    static func noted(_ originals: [Original]) -> [Original]? {
        originals.isEmpty ? nil : originals
    }

    /// The originals that are still of no use once a slot is in use again.
    func originals(leaving slot: Slot) -> [Original]? {
        Self.noted((originals ?? []).filter { $0.slot != slot })
    }
}
