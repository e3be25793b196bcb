/// The part of a move under the lock of the source, and its end.
extension Move {
    // MARK: Leaving

    mutating func leave() -> [Effect] {
        let hasArrivals = !copies.isEmpty || apps.contains(where: \.isJoining) || isOnlyDeletionLeft
        guard hasArrivals, !present.isEmpty else { return conclude() }
        state = .leaving
        return [.lock(reading: true)]
    }

    /// Stores the target as the choice of each app that is to find its users there, unless the source has changed.
    mutating func lock(_ contents: SlotContents?) -> [Effect] {
        if let migration, contents?.revision != migration.contents.revision { return [.unlock(storing: nil)] }
        locked = Locked(contents: contents)
        let elsewhere = apps.indices.filter { apps[$0].isElsewhere }
        if elsewhere.isEmpty { return choose(from: 0) }
        state = .lookingElsewhere(elsewhere)
        return [.look(apps: elsewhere)]
    }

    /// Judges once more, under the lock of the source, the apps that used a third slot: one that has come back keeps the
    /// source.
    mutating func lookedElsewhere(_ looks: [Result<[AppMove.Place], AuthError>], _ elsewhere: [Int]) -> [Effect] {
        for (app, look) in zip(elsewhere, looks) {
            do throws(AuthError) {
                apps[app].places = try look.get()
                if apps[app].places.contains(where: { $0.choice.slot == from || $0.choice.isMoving(to: from) }) {
                    apps[app].state = .failed(.changedMeanwhile(from))
                }
            } catch {
                apps[app].state = .failed(error)
            }
        }
        return choose(from: 0)
    }

    private mutating func choose(from first: Int) -> [Effect] {
        var effects: [Effect] = []
        for app in present where app >= first {
            if !isOnlyDeletionLeft, let place = apps[app].concerned(from: from).first {
                return effects + choose(app, place)
            }
            effects += endChoosing(app)
        }
        return effects + (noteLeft() ?? unlock())
    }

    private mutating func choose(_ app: Int, _ place: Int) -> [Effect] {
        state = .choosing(app, place: place)
        return [.choose(change(app, place), over: condition(app, place), app: app, place: place)]
    }

    private func condition(_ app: Int, _ place: Int) -> Condition {
        switch kind {
        // A damaged file counts as the slot in use, because choosing again repairs it.
        case .bySwitch: return apps[app].places[place].hasChoice ? .slot(from) : .any
        case .migration(let migration):
            if !migration.course.isOutside { return .noted }
            if apps[app].isReturning { return .slot(to) }
            return isTakenBack && isNoted(migration, app) ? .notedSlot(from) : .slot(from)
        }
    }

    private func change(_ app: Int, _ place: Int) -> ChoiceChange {
        switch kind {
        case .bySwitch(let change): return change
        case .migration(let migration):
            let (selection, source) = (migration.selection, migration.contents)
            let accounts = apps[app].isJoining ? [] : selection.moved(of: source.record).accounts.map(\.id)
            var change = ChoiceChange(from: from, to: to, nonce: migration.nonce, of: accounts)
            // The originals are needed until all apps have left.
            let isLast = app == present.last && place == apps[app].concerned(from: from).last
            if isLast, leavesUsers { leave(migration, &change) }
            return change
        }
    }

    /// Indicates whether the apps leave users in the source who are to be deleted.
    private var leavesUsers: Bool { isSourceFree && !apps.contains(where: \.isJoining) }

    private func leave(_ migration: Migration, _ change: inout ChoiceChange) {
        guard let revision = migration.contents.revision else { return }
        change.leave(
            migration.selection.leaving(migration.contents.record),
            in: from,
            at: revision,
            isDurable: migration.isDurable,
            run: migration.daemonRun
        )
    }

    /// Notes in another app what is to be deleted, if the app that was to note it is not among those that move; nil if
    /// it is noted.
    private mutating func noteLeft() -> [Effect]? {
        guard let migration, leavesUsers, !isOnlyDeletionLeft,
            !apps.contains(where: { $0.changed.contains(where: \.change.leavesUsers) }),
            let app = present.last(where: { apps[$0].isChosen }) ?? present.last, apps[app].id != nil,
            let place = apps[app].concerned(from: from).last
        else { return nil }
        var change = ChoiceChange(from: from, to: to, nonce: migration.nonce, of: [])
        leave(migration, &change)
        guard change.changes(apps[app].places[place].choice) else { return nil }
        state = .notingLeft(app, place: place)
        return [.choose(change, over: .slot(to), app: app, place: place)]
    }

    mutating func notedLeft(_ result: Result<Choosing, AuthError>, _ app: Int, _ place: Int) -> [Effect] {
        do throws(AuthError) {
            if case .changed(var choice) = try result.get(), let migration {
                var change = ChoiceChange(from: from, to: to, nonce: migration.nonce, of: [])
                leave(migration, &change)
                change.apply(to: &choice)
                apps[app].places[place].choice = choice
            }
        } catch {
            // What stays is deleted by no start, but the next run moves it.
            if !isDurable { end = .leftBehind(error) }
        }
        return unlock()
    }

    mutating func chose(_ result: Result<Choosing, AuthError>, _ app: Int, _ place: Int) -> [Effect] {
        do throws(AuthError) {
            switch try result.get() {
            case .changed(let before):
                let change = change(app, place)
                apps[app].changed.append(.init(place: place, change: change, before: before))
                apps[app].places[place].choice = before
                change.apply(to: &apps[app].places[place].choice)
            case .alreadyThere:
                // Another process has chosen the target: the deletion of the user who is left behind is not noted.
                if migration == nil { end = .overtaken }
            case .cancelled: throw .changedMeanwhile(from)
            case .elsewhere(let slot):
                guard let id = apps[app].id, migration != nil else {
                    end = .overtaken
                    break
                }
                apps[app].places[place].choice.slot = slot
                throw .elsewhere(id, slot, apps[app].places[place].path)
            }
        } catch {
            if apps[app].changed.isEmpty { return failChoosing(app, error) }
            state = .revertingChoice(app, error)
            return [.putBack(apps[app].changed, app: app, inTurn: false)]
        }
        if let next = apps[app].concerned(from: from).first(where: { $0 > place }) { return choose(app, next) }
        return endChoosing(app) + choose(from: app + 1)
    }

    private mutating func endChoosing(_ app: Int) -> [Effect] {
        let isJoining = apps[app].isJoining
        apps[app].state = .chosen(isJoining: isJoining)
        if !isJoining, let copy = index(for: apps[app]) { copies[copy].isChosen = true }
        return [.tellProgress]
    }

    /// Fails an app. What it has changed was put back, as far as possible.
    mutating func failChoosing(_ app: Int, _ error: AuthError) -> [Effect] {
        for changed in apps[app].changed { apps[app].places[changed.place].choice = changed.before }
        apps[app].changed = []
        apps[app].fail(error, from: from, to: to)
        if error.code == .outcomeUnknown, let copy = index(for: apps[app]) { copies[copy].isChosen = true }
        return [.tellProgress] + choose(from: app + 1)
    }

    private mutating func unlock() -> [Effect] {
        state = .leaving
        guard let record = locked?.contents?.record, isSourceFree, mayDelete(from: record) else {
            return [.unlock(storing: nil)]
        }
        end = .deleted
        let rest = record.removing(leaving)
        return [.unlock(storing: rest == record ? nil : rest)]
    }

    private func mayDelete(from record: UserRecord) -> Bool {
        if case .overtaken = end { return false }
        return switch kind {
        case .migration(let migration):
            migration.isDurable && !leaving.isEmpty && !apps.contains(where: \.isJoining)
        // Another user found there stays.
        case .bySwitch(let change): change.left.map { $0.account == record.current } ?? false
        }
    }

    /// The accounts that the source loses.
    var leaving: [AccountID] {
        switch kind {
        case .migration(let migration): migration.selection.leaving(migration.contents.record).accounts.map(\.id)
        case .bySwitch(let change): [change.left?.account].compactMap(\.self)
        }
    }

    /// Returns whether a record of the source shows that the deletion was made.
    func isDone(in record: UserRecord) -> Bool {
        switch kind {
        case .migration: !leaving.contains { record.account($0) != nil }
        case .bySwitch(let change): record.current != change.left?.account
        }
    }

    /// Begins again with other contents of the source.
    mutating func beginAgain(_ contents: SlotContents) -> [Effect] {
        guard var migration else { return conclude() }
        let users = migration.selection.moved(of: migration.contents.record)
        // A user whom a peer has signed out in the meantime must not live on at the target.
        guard attempt < Self.attempts, users.accounts.allSatisfy(contents.record.holds) else {
            return failAll(.changedMeanwhile(from))
        }
        attempt += 1
        migration.contents = contents
        kind = .migration(migration)
        state = .looking
        return [.look(apps: present)]
    }

    // MARK: Failures

    mutating func leaveFailed(_ error: AuthError) -> [Effect] {
        if locked != nil {
            // Nothing was chosen or deleted.
            if case .overtaken = end { return conclude() }
            state = .lookingAtDeletion(error)
            return [.beginTakingBack, .lookAtDeletion(after: error)]
        }
        // A record of the app's own slot that cannot be read stays in place.
        let isUnreadable = [.recordDamaged, .recordVersionUnsupported].contains(error.code)
        guard case .bySwitch(let change) = kind, change.left != nil, from == .own, isUnreadable, leftBehind == nil
        else {
            return failAll(error)
        }
        end = .leftBehind(error)
        return [.lock(reading: false)]
    }

    private mutating func failAll(_ error: AuthError) -> [Effect] {
        for app in present { apps[app].state = .failed(error) }
        return conclude()
    }

    mutating func lookedAtDeletion(_ outcome: UserSlots.DeletionOutcome, _ error: AuthError) -> [Effect] {
        if outcome == .done {
            end = .deleted
            return conclude()
        }
        end = .leftBehind(.leftBehind(error, in: from))
        let mayGoBack = apps.allSatisfy { $0.isRunning && $0.failure == nil } && migration?.course.isResumed != true
        guard outcome == .notDone, mayGoBack else { return conclude() }
        state = .goingBack(error)
        return [.putBack(apps[0].changed, app: 0, inTurn: true)]
    }

    mutating func wentBack(_ second: AuthError?, _ error: AuthError) -> [Effect] {
        if let second {
            if migration == nil { apps[0].state = .failed(.notPutBack(error, second)) }
        } else {
            end = .kept
            for copy in copies.indices { copies[copy].isChosen = false }
            apps[0].changed = []
            apps[0].state = .failed(error)
        }
        return conclude()
    }

    // MARK: The end

    /// Notes what has ended, and takes copies back that no choice needs, beginning with one app.
    mutating func conclude(from first: Int = 0) -> [Effect] {
        state = .ended
        guard let migration else { return [] }
        var effects: [Effect] = []
        for app in apps.indices.dropFirst(first) {
            guard apps[app].id == nil || apps[app].failure != nil else {
                effects += noteEnd(app)
                let areLeft = isDeleted || !isDurable && leavesUsers
                if areLeft, !keepsNames, let copy = index(for: apps[app]), copies[copy].namesOriginals {
                    copies[copy].namesOriginals = false
                    effects.append(.settleNames(app: app))
                }
                continue
            }
            // The next start tries again.
            if migration.course.isResumed { continue }
            effects.append(.beginTakingBack)
            if let copy = copy(for: apps[app]), !copy.isChosen {
                state = .takingBack(app)
                return effects + [.takeBack(copy, ending: begun(migration.users), app: app)]
            }
            if let look = lookAgain(app) { return effects + look }
        }
        return effects
    }

    /// Indicates whether the copies go on naming the deleted originals as left: other apps of the source, which have noted
    /// the same steps, follow by these names.
    var keepsNames: Bool { isDurable && migration?.course.isResumed ?? false }

    private func noteEnd(_ app: Int) -> [Effect] {
        let isMoved = apps[app].isChosen || isDeleted
        return apps[app].places.indices.compactMap { place in
            let choice = apps[app].places[place].choice
            let ended = isDeleted ? choice.steps.filter { $0.isOver(from: from, to: to) } : []
            let isThere = isMoved && choice.slot == to
            return ended.isEmpty && !isThere ? nil : .noteEnd(ended, app: app, place: place, isMoved: isThere)
        }
    }

    mutating func tookBack(_ isGone: Bool, _ app: Int) -> [Effect] {
        guard let copy = index(for: apps[app]) else { return conclude(from: app + 1) }
        // A copy that another process has overwritten, or needs, stays.
        if isGone { copies.remove(at: copy) } else { copies[copy].isChosen = true }
        return lookAgain(app) ?? conclude(from: app + 1)
    }

    /// Looks whether a move that has begun is still noted; nil if none can be.
    private mutating func lookAgain(_ app: Int) -> [Effect]? {
        guard apps[app].id != nil, let migration else { return nil }
        guard apps.count == 1 || isNoted(migration, app) else { return nil }
        state = .lookingAgain(app)
        return [.look(apps: [app])]
    }

    private func isNoted(_ migration: Migration, _ app: Int) -> Bool {
        let begun = begun(migration.users)
        return apps[app].places.contains { $0.choice.steps.contains(where: begun.contains) }
    }

    /// Ends the noted move of an app that has failed; or leaves it to the app's next start, if it is unknown what has
    /// changed, or if another app has chosen the copy. An app whose move another process has finished has not failed.
    mutating func settleFailure(of app: Int, _ look: Result<[AppMove.Place], AuthError>?) -> [Effect] {
        if case .success(let places)? = look { apps[app].places = places }
        guard let error = apps[app].failure, let migration else { return conclude(from: app + 1) }
        let begun = begun(migration.users)
        if error.code != .outcomeUnknown, copy(for: apps[app])?.isChosen == true, apps[app].isChosenMeanwhile(to) {
            // Another process has finished the move.
            apps[app].state = .chosen(isJoining: false)
            return conclude(from: app + 1)
        }
        let noted = apps[app].places.indices.filter { place in
            apps[app].places[place].choice.steps.contains(where: begun.contains)
        }
        if apps[app].isElsewhere || error.code != .outcomeUnknown && copy(for: apps[app])?.isChosen != true {
            return noted.map { place in
                let steps = apps[app].places[place].choice.steps.filter(begun.contains)
                return .noteEnd(steps, app: app, place: place, isMoved: false)
            } + conclude(from: app + 1)
        }
        if !noted.isEmpty { apps[app].state = .pending(.pending(error)) }
        return conclude(from: app + 1)
    }
}

extension AuthError {
    static func changedMeanwhile(_ slot: Slot) -> AuthError {
        AuthError(.conflict, "Another process changed \(slot.description) meanwhile.", remedy: "Migrate again.")
    }

    /// Returns the error of a move that the app's next start settles.
    fileprivate static func pending(_ error: AuthError) -> AuthError {
        AuthError(
            .outcomeUnknown,
            "The move has begun and is not finished: \(error.message)",
            remedy: "Migrate again, or start the app: it finishes the move, or drops it if the copy was not written.",
            underlying: error
        )
    }

    /// Returns the error for originals that could not be deleted although everything else was done.
    fileprivate static func leftBehind(_ error: AuthError, in slot: Slot) -> AuthError {
        AuthError(
            error.code == .conflict ? .outcomeUnknown : error.code,
            "The user was copied and the choice stored, but a copy is still in \(slot.description): \(error.message)",
            remedy: "Migrate again, or start the app: either deletes it.",
            underlying: error
        )
    }

    /// Returns the error for an app that has chosen the target in one place and not in another.
    static func halfChosen(_ error: AuthError, _ second: AuthError) -> AuthError {
        AuthError(
            .outcomeUnknown,
            "\(error.text) The app's other choice could not be put back: \(second.message) The user is in both slots.",
            remedy: "Migrate again.",
            underlying: error
        )
    }

    /// Returns the error of a switch that has failed and whose choice could not be put back.
    fileprivate static func notPutBack(_ error: AuthError, _ second: AuthError) -> AuthError {
        AuthError(
            error.code,
            "\(error.text) The group choice could not be put back either, so the next start will finish the "
                + "switch. \(second.text)",
            underlying: error
        )
    }
}
