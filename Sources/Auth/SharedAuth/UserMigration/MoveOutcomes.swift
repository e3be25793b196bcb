/// A step of a migration, with what it says about its slots and apps.
struct MovePlan {
    typealias Outcome = UserMigration.Outcome

    let migration: UserMigration
    let step: UserMigration.Step

    /// The maximum age of a plan whose contents are copied without another read.
    static let freshness = Duration.seconds(5)

    var from: Slot { migration.from }
    var to: Slot { migration.to }
    var deadline: Deadline { migration.course.deadline ?? .after(migration.timeout) }
    /// The apps; a single nil for a group that no app has chosen.
    var apps: [UserMigration.AppPlace?] { step.apps.isEmpty ? [nil] : step.apps }
    var appIDs: [String?] { apps.map { $0?.id } }
    var sourceSlots: UserSlots { step.apps.first?.slots ?? migration.slots(of: nil) }

    func slots(of app: UserMigration.AppPlace?) -> UserSlots { app?.slots ?? sourceSlots }

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

    /// Returns the outcome for an app whose source is empty. Ends the app's unfinished steps of this move, as the app's
    /// next start would: an app whose users another app has brought to the target follows them.
    func absent(_ app: UserMigration.AppPlace) -> Outcome {
        do throws(AuthError) {
            let looked = try app.looked(by: deadline)
            let chosenSlot = looked.chosenSlot(from: from, to: to)
            if case .atSource = chosenSlot, let user = try resume(app, looked).first {
                return outcome(app.id, user.uid, nil, .moved)
            }
            let there = chosenSlot.isAtTarget ? try userAtTarget(of: app) : nil
            // A copy that has not arrived is not waited for.
            if case .leavingTarget = chosenSlot { try app.cancelMove(from: to, to: from, by: deadline) }
            for (journal, place) in zip(app.journals, looked.places) {
                for step in place.choice.steps where step.isOver(from: from, to: to) {
                    journal.noteEnded(step, by: deadline)
                }
            }
            return outcome(app.id, there, nil, there == nil ? .nothing : .alreadyThere)
        } catch {
            return outcome(app.id, nil, error)
        }
    }

    /// Ends the unfinished moves of an app whose source is empty.
    ///
    /// - Returns: the users who are at the target.
    private func resume(_ app: UserMigration.AppPlace, _ looked: AppMove) throws(AuthError) -> [AccountID] {
        var arrived: [AccountID] = []
        for (journal, place) in zip(app.journals, looked.places) {
            for migration in place.choice.unfinished where migration.source == from && migration.target == to {
                if !migration.sessions.isEmpty {
                    try migration.takeBack(in: journal, of: app.slots, by: deadline)
                } else {
                    let record = try app.slots.read(to, by: deadline).record
                    arrived += try migration.follow(in: journal, to: record, of: app.slots, by: deadline)
                }
            }
        }
        return arrived
    }

    /// Returns the outcome for an app that was in its own slot before the move, and still is.
    func outcomeAtHome(_ app: UserMigration.AppPlace, _ uid: String?) throws(AuthError) -> Outcome {
        let there = try userAtTarget(of: app)
        return outcome(app.id, there, nil, there != nil && there == uid ? .alreadyThere : .nothing)
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

extension UserMigration.Course {
    /// The deadline of the whole move; nil if each app has a separate time limit.
    var deadline: Deadline? {
        switch self {
        case .outside: nil
        case .running(let deadline), .resumed(let deadline): deadline
        }
    }

    var isOutside: Bool { if case .outside = self { true } else { false } }
    var isResumed: Bool { if case .resumed = self { true } else { false } }
}
