extension SlotMove {
    // MARK: Source and target

    var appIDs: [String?] { step.apps.isEmpty ? [nil] : step.apps.map(\.id) }

    /// Indicates whether the plan was read a short time ago.
    private var isFresh: Bool { ContinuousClock.now - step.isRead < Self.freshness }

    /// Returns the contents of the source: those of the plan if it is fresh, else those that are read now.
    func source() throws(AuthError) -> SlotContents {
        isFresh ? try step.found.get() : step.seen(try sourceSlots.read(from, by: deadline))
    }

    /// Returns the user in the slot in which an app is to find its user.
    func userAtTarget(of app: UserMigration.AppPlace) throws(AuthError) -> String? {
        isFresh ? step.targets[app.id]?.mainUID : try app.slots.read(to, by: deadline).record.mainUID
    }

    /// Returns the reason why the users may not be moved; otherwise nil.
    func refusal(for leaving: UserRecord) -> AuthError? {
        if !step.staying.isEmpty {
            let names = step.staying.prefix(3).joined(separator: ", ") + (step.staying.count > 3 ? " and others" : "")
            return AuthError(
                .conflict,
                "\(from.description.capitalizedFirst) is in use by \(names), too, and would be empty for them.",
                remedy: "Move all apps that use it together."
            )
        }
        if step.apps.isEmpty, to == .own {
            return AuthError(
                .conflict,
                "No known app has chosen \(from.description), so there is no app's own slot to move to."
            )
        }
        return nil
    }

    /// Returns the outcome for an app whose source is empty. Ends the app's unfinished steps of this move.
    func absent(_ app: UserMigration.AppPlace) -> Outcome {
        do throws(AuthError) {
            let chosenSlot = try app.chosenSlot(from: from, to: to, by: deadline)
            let there = chosenSlot.isAtTarget ? try userAtTarget(of: app) : nil
            // A copy that has not arrived is not waited for.
            if case .leavingTarget = chosenSlot { try app.cancelMove(from: to, to: from, by: deadline) }
            for journal in app.journals {
                for step in try journal.read(by: deadline).steps where isDone(step) {
                    journal.noteEnded(step, by: deadline)
                }
            }
            return outcome(app.id, there, nil, there == nil ? .nothing : .alreadyThere)
        } catch {
            return outcome(app.id, nil, error)
        }
    }

    /// Returns whether all apps have chosen the target, and one of them still has to delete the source's contents.
    func hasBegunDeletion(at revision: Revision?) -> Bool {
        guard let revision, !step.apps.isEmpty else { return false }
        guard step.apps.allSatisfy({ (try? $0.chosenSlot(from: from, to: to, by: deadline)) == .atTarget }) else {
            return false
        }
        return step.apps.flatMap(\.journals).contains { journal in
            (try? journal.read(by: deadline))?.steps.contains { step in
                if case .deletion(from, revision, _) = step { true } else { false }
            } ?? false
        }
    }

    /// Returns whether an error means that the app joins the other user at the target.
    func isJoin(_ error: AuthError) -> Bool { error.code == .accessGroupOccupied && migration.policy == .join }

    /// Returns the outcome for an app that was in its own slot before the move, and still is.
    func outcomeAtHome(_ app: UserMigration.AppPlace, _ uid: String?) throws(AuthError) -> Outcome {
        let there = try userAtTarget(of: app)
        return outcome(app.id, there, nil, there != nil && there == uid ? .alreadyThere : .nothing)
    }

    /// Returns whether an app was at the target before any user arrived there from the source group.
    func isResident(_ app: UserMigration.AppPlace) -> Bool {
        guard from != .own, (try? app.chosenSlot(from: from, to: to, by: deadline)) == .atTarget else { return false }
        return !app.journals.contains { journal in
            (try? journal.read(by: deadline))?.steps.contains(where: isDone) ?? false
        }
    }

    /// The step that an app notes before a copy is made, and finishes by itself if it starts in the meantime; nil for
    /// one of several apps, because the others still need the source.
    func begun(_ id: AccountID?) -> GroupChoice.Pending? {
        step.apps.count == 1 ? id.map { .migration(of: $0, from: from, to: to) } : nil
    }

    /// Returns whether a step is obsolete once the source is empty.
    func isDone(_ step: GroupChoice.Pending) -> Bool {
        switch step {
        case .migration(_, _, let target): target == to
        case .deletion(let slot, _, _): slot == from
        }
    }

    func outcome(
        _ appID: String?,
        _ uid: String?,
        _ error: AuthError?,
        _ kind: Outcome.Kind = .failed
    ) -> Outcome {
        let kind: Outcome.Kind =
            switch error?.code {
            case nil: kind
            case .accessGroupOccupied?: migration.policy == .skip ? .skipped : .conflict
            case .conflict?: .conflict
            // A failure after the choice was stored leaves work to do.
            default: kind == .failed ? .failed : .pending
            }
        return Outcome(appID: appID, uid: uid, kind: kind, error: error)
    }

    func outcome(
        _ appID: String?,
        of users: UserRecord,
        _ error: AuthError?,
        _ kind: Outcome.Kind = .failed
    ) -> Outcome {
        var outcome = outcome(appID, users.mainUID, error, kind)
        outcome.accounts = users.accounts.map(\.id)
        outcome.appsAtTarget = step.residents
        return outcome
    }
}
