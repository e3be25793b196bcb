/// A migration that an app's journal names as begun, and not as ended: the process that made it has died, or still runs.
struct UnfinishedMigration {
    let source: Slot
    let target: Slot
    private(set) var users: [AccountID]
    /// The sessions whose copies in the app's own slot are taken back; empty if the migration is to be finished.
    private(set) var sessions: [String]

    /// Chooses the target for an app if another app of the source has finished the migration, as the target's record
    /// says.
    ///
    /// - Returns: the users who have arrived; none if no app has finished it.
    func follow(
        in journal: Journal,
        to record: UserRecord,
        of slots: UserSlots,
        by deadline: Deadline
    ) throws(AuthError) -> [AccountID] {
        let arrived = record.arrived(users, from: try slots.key(source).scopeName)
        if arrived.isEmpty { return [] }
        let change = ChoiceChange(from: source, to: target, nonce: .random(in: .min ... .max), of: arrived)
        let after = try journal.change(by: deadline) { choice in
            guard choice.isMoving(to: target) else { return }
            // The process may have died between the choice and the end of the steps.
            if choice.slot == source { change.apply(to: &choice) } else { choice.end(self) }
        }
        guard after.slot == target else { return [] }
        journal.clearKeepers(of: source, by: deadline)
        return arrived
    }

    /// Deletes the copies from the app's own slot, unless the app has chosen it, and ends the migration.
    func takeBack(in journal: Journal, of slots: UserSlots, by deadline: Deadline) throws(AuthError) {
        try slots.remove(fromUnused: target, holding: journal, by: deadline) { found, choice in
            guard choice.isMoving(to: target) else { return nil }
            let copies = found.record.accounts.filter { account in
                users.contains { $0.mayMean(account.id) } && account.tokens.signIn.map(sessions.contains) ?? false
            }
            return found.record.removing(copies.map(\.id))
        } ending: { choice in
            choice.end(self)
        }
    }
}

extension GroupChoice {
    /// The migrations that have begun and not ended, each with all of its users.
    var unfinished: [UnfinishedMigration] {
        steps.reduce(into: []) { found, step in
            guard case .migration(let user, let noted, let target, let session) = step else { return }
            let source = noted ?? slot
            if let known = found.firstIndex(where: { $0.source == source && $0.target == target }) {
                found[known].add(user, session)
            } else {
                let sessions = [session].compactMap(\.self)
                found.append(UnfinishedMigration(source: source, target: target, users: [user], sessions: sessions))
            }
        }
    }

    /// Returns the unfinished migration of a user from a slot.
    func unfinished(of user: AccountID, from slot: Slot) -> UnfinishedMigration? {
        unfinished.first { $0.source == slot && $0.users.contains { $0.mayMean(user) } }
    }

    /// Removes the steps of a migration.
    mutating func end(_ migration: UnfinishedMigration) {
        for user in migration.users { endMigration(of: user, to: migration.target) }
    }
}

extension UnfinishedMigration {
    fileprivate mutating func add(_ user: AccountID, _ session: String?) {
        users.append(user)
        sessions += [session].compactMap(\.self)
    }
}
