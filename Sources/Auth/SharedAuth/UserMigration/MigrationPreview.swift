extension UserMigration {
    /// Returns the outcomes that these steps would have if they were performed in this order; writes nothing. Blocks
    /// until the store responds.
    ///
    /// An error that keeps a slot from being read becomes the error of an outcome.
    public func preview(_ steps: [Step]) throws(AuthError) -> [Outcome] {
        var targets: [String: UserRecord] = [:]
        var outcomes: [Outcome] = []
        for step in steps {
            let move = MovePlan(migration: self, step: step)
            outcomes += move.preview { (slots) throws(AuthError) in
                let name = try slots.key(to).scopeName
                if let known = targets[name] { return known }
                do throws(AuthError) {
                    return try slots.read(to, by: .after(timeout)).record
                } catch {
                    // The damaged record would be set aside.
                    guard error.code == .recordDamaged, policy == .replace else { throw error }
                    return UserRecord()
                }
            } keep: { (record, slots) throws(AuthError) in
                targets[try slots.key(to).scopeName] = record
            }
        }
        return outcomes
    }
}

extension UserMigration.Step {
    /// Returns the expected outcomes for the apps that will leave the source: for a note of a step that is about to
    /// begin.
    package func beginning(of migration: UserMigration) -> [UserMigration.Outcome] {
        guard let source = try? found.get().record else { return [] }
        let users = selection.moved(of: source)
        if users.accounts.isEmpty { return [] }
        let move = MovePlan(migration: migration, step: self)
        return apps.filter { app in
            (try? app.looked(by: move.deadline))?.chosenSlot(from: move.from, to: move.to) == .atSource
        }.map { app in
            let isJoining = targets[app.id].map { (try? migration.merge(users, into: $0)) == nil } ?? false
            let kind: UserMigration.Outcome.Kind = isJoining && migration.policy == .join ? .joined : .moved
            var outcome = move.outcome(app.id, of: users, nil, kind)
            outcome.accountsAtTarget = targets[app.id].map(users.held) ?? []
            return outcome
        }
    }
}

extension MovePlan {
    /// Returns the outcomes of the step if the targets hold the records that `look` returns. Passes the records that
    /// they would hold afterwards to `keep`.
    func preview(
        _ look: (UserSlots) throws(AuthError) -> UserRecord,
        keep: (UserRecord, UserSlots) throws(AuthError) -> Void
    ) -> [UserMigration.Outcome] {
        let contents: SlotContents
        do throws(AuthError) {
            contents = try source()
        } catch {
            return appIDs.map { outcome($0, step.uid, error) }
        }
        let leaving = step.selection.moved(of: contents.record)
        if leaving.accounts.isEmpty { return step.apps.map(previewAbsent) }
        let uid = leaving.mainUID
        if let error = refusal(for: leaving) { return appIDs.map { outcome($0, of: leaving, error) } }
        return apps.map { app in
            do throws(AuthError) {
                let looked = try app?.looked(by: deadline)
                if let app, case .elsewhere(let slot, let path)? = looked?.chosenSlot(from: from, to: to) {
                    throw .elsewhere(app.id, slot, path)
                }
                let isResident = looked?.isResident(from: from, to: to) ?? false
                if let app, to == .own, isResident { return try outcomeAtHome(app, uid) }
                let present = try look(slots(of: app))
                let coming = try users(of: contents, comingInto: present, slots(of: app))
                let merge = try migration.merge(coming, into: present)
                try keep(merge.record, slots(of: app))
                var result = outcome(app?.id, of: leaving, nil, isResident ? .alreadyThere : .moved)
                result.replacedUID = merge.removed?.uid
                result.accountsAtTarget = leaving.held(by: present)
                return result
            } catch {
                let isJoining = app != nil && migration.policy.joins(after: error)
                return isJoining
                    ? outcome(app?.id, of: leaving, nil, .joined) : outcome(app?.id, of: leaving, error)
            }
        }
    }

    private func previewAbsent(_ app: UserMigration.AppPlace) -> UserMigration.Outcome {
        do throws(AuthError) {
            let isThere = try app.looked(by: deadline).chosenSlot(from: from, to: to).isAtTarget
            let there = isThere ? try userAtTarget(of: app) : nil
            return outcome(app.id, there, nil, there == nil ? .nothing : .alreadyThere)
        } catch {
            return outcome(app.id, nil, error)
        }
    }
}
