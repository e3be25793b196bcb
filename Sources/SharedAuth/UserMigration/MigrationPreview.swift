internal import SecretService

extension UserMigration {
    /// Says what performing these steps would come to, in this order; writes nothing.
    public func preview(_ steps: [Step]) throws(AuthError) -> [Outcome] {
        var targets: [String: UserRecord] = [:]
        var outcomes: [Outcome] = []
        for step in steps {
            let move = SlotMove(migration: self, step: step)
            outcomes += move.preview { (slots) throws(AuthError) in
                let name = try slots.key(to).scopeName
                if let known = targets[name] { return known }
                return try slots.read(to, by: .after(timeout)).record
            } keep: { (record, slots) throws(AuthError) in
                targets[try slots.key(to).scopeName] = record
            }
        }
        return outcomes
    }
}

extension SlotMove {
    /// What the step would come to where the targets hold what `look` says; `keep` is told what they would hold then.
    func preview(
        _ look: (UserSlots) throws(AuthError) -> UserRecord,
        keep: (UserRecord, UserSlots) throws(AuthError) -> Void
    ) -> [UserMigration.Outcome] {
        let leaving: UserRecord
        do throws(AuthError) {
            leaving = try source().record.only(step.extent.uids)
        } catch {
            return appIDs.map { outcome($0, step.uid, error) }
        }
        if leaving.accounts.isEmpty { return step.apps.map(previewAbsent) }
        let uid = leaving.mainUID
        if let error = refusal(for: leaving) { return appIDs.map { outcome($0, uid, error) } }
        let apps: [UserMigration.AppPlace?] = step.apps.isEmpty ? [nil] : step.apps
        return apps.map { app in
            do throws(AuthError) {
                if let app, case .elsewhere(let slot) = try app.standing(from: from, to: to) {
                    throw .elsewhere(app.id, slot)
                }
                if let app, to == .own, isResident(app) { return try outcomeAtHome(app, uid) }
                let present = try look(slots(of: app))
                let merge = try AccountMerge(leaving, into: present, ifOccupied: migration.policy, in: to)
                try keep(merge.record, slots(of: app))
                var result = outcome(app?.id, uid, nil, app.map(isResident) ?? false ? .alreadyThere : .moved)
                result.replacedUID = merge.removed?.uid
                result.wasAtTarget = uid.map { present.account($0) != nil } ?? false
                return result
            } catch {
                return outcome(app?.id, uid, error)
            }
        }
    }

    private func previewAbsent(_ app: UserMigration.AppPlace) -> UserMigration.Outcome {
        do throws(AuthError) {
            let isThere = try app.standing(from: from, to: to) == .atTarget
            let there = isThere ? try userAtTarget(of: app) : nil
            return outcome(app.id, there, nil, there == nil ? .nothing : .alreadyThere)
        } catch {
            return outcome(app.id, nil, error)
        }
    }
}
