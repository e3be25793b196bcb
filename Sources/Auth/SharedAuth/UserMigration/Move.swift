/// A change of the slot that apps use, as a value: events change it and produce effects.
///
/// It calls nothing and waits for nothing. ``MoveRunner`` performs the effects in order, and reports the end of each
/// that has a result with one event.
///
/// Every change follows one order. Users are copied and read back without a lock across the copies, so that a running
/// app can refresh its tokens. Then, under one lock of the source, the choices are stored and the originals deleted: no
/// user signs out or refreshes in between. A source that has changed since the copy is copied again. What fails before
/// a choice was stored is taken back; what fails afterwards is put back only if the original is certainly still there.
struct Move {
    enum Kind {
        /// Moves users, and the apps that use them.
        case migration(Migration)
        /// Moves one app by hand. It leaves the user in its own slot behind, if there is one.
        case bySwitch(ChoiceChange)
    }

    struct Migration {
        let selection: UserMigration.Selection
        let policy: MigrationPolicy
        let course: UserMigration.Course
        /// Names the move in the journals.
        let nonce: UInt64
        /// The users to move, as they were when the move began.
        let users: UserRecord
        /// Indicates whether the store keeps what it acknowledges. If not, a later start deletes the originals.
        let isDurable: Bool
        /// The run of the keyring daemon that has the copies; nil if unknown, or not needed.
        let daemonRun: String?
        /// The contents of the source, as the running app sees them.
        var contents: SlotContents
    }

    /// Something that has happened.
    enum Event {
        /// Apps were looked at, in the order of the effect.
        case looked([Result<[AppMove.Place], AuthError>])
        /// The steps were noted in all places, or not.
        case noted(AuthError?)
        case copied(Result<SlotCopy, AuthError>)
        case readBack(Result<Revision?, AuthError>)
        /// The source is locked and has these contents; nil if it was not read.
        case locked(SlotContents?)
        case chose(Result<Choosing, AuthError>)
        /// The source is unlocked and has these contents.
        case left(SlotContents)
        case leaveFailed(AuthError)
        case lookedAtDeletion(UserSlots.DeletionOutcome)
        /// The former choices were put back, or not.
        case putBack(AuthError?)
        /// The copy was taken back; or it stays, because another process has overwritten it or chosen its slot.
        case tookBack(Bool)
        /// The copy of an app has names that are settled, and is in these contents.
        case settledNames(SlotContents, app: Int)
    }

    /// The result of storing the target in a place.
    enum Choosing {
        case changed(before: GroupChoice)
        /// The target was the choice already.
        case alreadyThere
        /// Another process of the app, or a move back, has cancelled the app's own move.
        case cancelled
        case elsewhere(Slot)
    }

    /// The stored choice over which the target may be stored.
    enum Condition {
        case any
        case slot(Slot)
        /// Only as long as the migration is noted. (A tool's note may be gone because the app has started before the
        /// copy was there.)
        case noted
        /// Only as long as the migration is noted, because a start takes the copy back together with the note.
        case notedSlot(Slot)
    }

    /// An action to perform.
    enum Effect {
        case look(apps: [Int])
        case note([GroupChoice.Pending], [AppMove.PlaceOfApp])
        /// Write the users to the app's target, unless they are already there as in the source.
        case copy(SlotContents, app: Int)
        case readBack(app: Int)
        /// Lock the source, and read it if its record is to be changed.
        case lock(reading: Bool)
        case choose(ChoiceChange, over: Condition, app: Int, place: Int)
        /// Tell the caller that an app has ended.
        case tellProgress
        /// Store the source's record, or with nil leave it as it is, and unlock the source.
        case unlock(storing: UserRecord?)
        /// Extend the deadline by the time of a call.
        case beginTakingBack
        case lookAtDeletion(after: AuthError)
        /// Put the former choices of an app back; in the turn of the target, so that they never name a slot without the
        /// user.
        case putBack([AppMove.Changed], app: Int, inTurn: Bool)
        /// Take a copy back and end the noted steps, unless another process has chosen the copy's slot since the move
        /// began.
        case takeBack(SlotCopy, ending: [GroupChoice.Pending], app: Int)
        /// Note, without waiting for the disk, that steps have ended and where users have moved.
        case noteEnd([GroupChoice.Pending], app: Int, place: Int, isMoved: Bool)
        /// Remove the names of the deleted originals from the copy in an app's target, or note there that all apps have
        /// left them.
        case settleNames(app: Int)
    }

    /// The fate of the originals, or of the user whom a switch leaves behind.
    enum End {
        /// They stay, or nothing has changed.
        case kept
        case deleted
        /// They were to be deleted and may still be there, although the choices were stored.
        case leftBehind(AuthError)
        /// Another process has stored another choice than the one that a switch was to change, perhaps its target.
        case overtaken
    }

    /// A source whose lock is, or was, held.
    struct Locked {
        /// Its contents; nil if it was not read.
        let contents: SlotContents?
    }

    enum State {
        case looking
        case noting(Int)
        case copying(Int, attempt: Int)
        case readingBack(Int, attempt: Int)
        case leaving
        case lookingElsewhere([Int])
        case choosing(Int, place: Int)
        case revertingChoice(Int, AuthError)
        case notingLeft(Int, place: Int)
        case lookingAtDeletion(AuthError)
        case goingBack(AuthError)
        case takingBack(Int)
        case lookingAgain(Int)
        case ended
    }

    /// The maximum number of attempts while other processes change the source or the target.
    static let attempts = 3

    let from: Slot
    let to: Slot
    var kind: Kind
    var apps: [AppMove]
    /// The copies, one for each target slot.
    var copies: [SlotCopy] = []
    /// The apps that were at the target before any user arrived there.
    private(set) var residents: Set<String> = []
    var end = End.kept
    /// True if an earlier run died with only the deletion left: the users may have signed out at the target since.
    var isOnlyDeletionLeft = false
    /// The locked source; nil until the choices are stored, as far as possible.
    var locked: Locked?
    var attempt = 1
    var state: State

    /// Creates a migration.
    init(from source: Slot, to target: Slot, _ migration: Migration, of apps: [AppMove]) {
        (from, to, self.apps) = (source, target, apps)
        kind = .migration(migration)
        state = .looking
    }

    /// Creates a switch of the running app over a choice that was looked at.
    init(_ change: ChoiceChange, from source: Slot, of app: AppMove) {
        (from, to, apps) = (source, change.target, [app])
        kind = .bySwitch(change)
        state = .leaving
    }

    /// The first effects.
    var beginning: [Effect] {
        switch kind {
        case .migration: [.look(apps: Array(apps.indices))]
        case .bySwitch(let change): [.lock(reading: change.left != nil && from == .own)]
        }
    }

    /// Returns the effects of an event. Ignores an event that the present state does not expect.
    mutating func handle(_ event: Event) -> [Effect] {
        switch (state, event) {
        case (.looking, .looked(let looks)): return begin(looks)
        case (.noting(let app), .noted(nil)): return copy(app, attempt: 1)
        case (.noting(let app), .noted(let error?)): return fail(app, error)
        case (.copying(let app, let attempt), .copied(let result)): return copied(result, app, attempt)
        case (.readingBack(let app, let attempt), .readBack(let result)): return readBack(result, app, attempt)
        case (.leaving, .locked(let contents)): return lock(contents)
        case (.lookingElsewhere(let apps), .looked(let looks)): return lookedElsewhere(looks, apps)
        case (.choosing(let app, let place), .chose(let result)): return chose(result, app, place)
        case (.notingLeft(let app, let place), .chose(let result)): return notedLeft(result, app, place)
        case (.revertingChoice(let app, let error), .putBack(let second)):
            return failChoosing(app, second.map { .halfChosen(error, $0) } ?? error)
        case (.leaving, .left(let contents)): return locked == nil ? beginAgain(contents) : conclude()
        case (.leaving, .leaveFailed(let error)): return leaveFailed(error)
        case (.lookingAtDeletion(let error), .lookedAtDeletion(let outcome)): return lookedAtDeletion(outcome, error)
        case (.goingBack(let error), .putBack(let second)): return wentBack(second, error)
        case (.takingBack(let app), .tookBack(let isGone)): return tookBack(isGone, app)
        case (.lookingAgain(let app), .looked(let looks)): return settleFailure(of: app, looks.first)
        case (_, .settledNames(let contents, let app)):
            if let copy = index(for: apps[app]) { copies[copy].settled(in: contents) }
            return []
        default: return []
        }
    }

    // MARK: Copying

    /// Judges by the stored choices which apps move, and brings their users to the target.
    private mutating func begin(_ looks: [Result<[AppMove.Place], AuthError>]) -> [Effect] {
        for (app, look) in zip(present, looks) {
            do throws(AuthError) {
                apps[app].places = try look.get()
                apps[app].state = .waiting
                if attempt == 1 { apps[app].begin(from: from, to: to) }
                judge(app)
            } catch {
                apps[app].state = .failed(error)
            }
        }
        if attempt == 1 {
            residents = Set(present.filter { apps[$0].isResident(from: from, to: to) }.compactMap { apps[$0].id })
        }
        isOnlyDeletionLeft = hasOnlyDeletionLeft
        return bring(from: 0)
    }

    /// Judges by its stored choices how an app moves.
    private mutating func judge(_ app: Int) {
        let chosenSlot = apps[app].chosenSlot(from: from, to: to)
        apps[app].isReturning = chosenSlot == .leavingTarget
        if case .elsewhere(let slot, let path) = chosenSlot, let id = apps[app].id {
            apps[app].fail(.elsewhere(id, slot, path), from: from, to: to)
        }
    }

    private var hasOnlyDeletionLeft: Bool {
        guard isSourceFree, let revision = migration?.contents.revision else { return false }
        let apps = self.apps.filter { $0.failure == nil }
        return apps.allSatisfy { $0.id != nil && $0.chosenSlot(from: from, to: to) == .atTarget }
            && apps.contains { $0.hasBegunDeletion(of: revision, from: from) }
    }

    /// Copies the users to the slot in which each app is to find them, beginning with one app.
    private mutating func bring(from first: Int) -> [Effect] {
        guard let migration else { return [] }
        for app in present where app >= first {
            if migration.selection.isOfNobody {
                apps[app].state = .there(isJoining: true)
            } else if isOnlyDeletionLeft || to == .own && apps[app].chosenSlot(from: from, to: to) == .atTarget {
                // An app that is in its own slot does not need the users of the group.
                apps[app].state = .there(isJoining: false)
            } else if to != .own, apps.contains(where: \.isJoining) {
                // All apps share the slot of a group.
                apps[app].state = .there(isJoining: true)
            } else if let copy = copy(for: apps[app]), copy.source == migration.contents.revision {
                apps[app].state = .there(isJoining: false)
            } else {
                return note(app) ?? copy(app, attempt: 1)
            }
        }
        return leave()
    }

    /// Notes that a migration begins, in the places whose choice it will change; nil if nothing is to be noted.
    private mutating func note(_ app: Int) -> [Effect]? {
        guard let migration, !migration.course.isResumed, copy(for: apps[app]) == nil else { return nil }
        let steps = begun(migration.selection.moved(of: migration.contents.record))
        let concerned = to == .own ? [app] : present
        let places = concerned.filter { apps[$0].id != nil }.flatMap { app in
            apps[app].concerned(from: from)
                .filter { apps[app].isRunning || apps[app].places[$0].choice.slot == from }
                .map { AppMove.PlaceOfApp(app: app, place: $0) }
        }
        if steps.isEmpty || places.isEmpty { return nil }
        for noted in places {
            for step in steps { apps[noted.app].places[noted.place].choice.begin(step) }
        }
        state = .noting(app)
        return [.note(steps, places)]
    }

    /// The steps that the apps note before a copy is made, one for each user: an app that starts in the meantime finishes
    /// them by itself, or takes the copy back if other apps still need the source. Then there is no step for a user whose
    /// session is not known, and in no case for one whose original stays.
    func begun(_ users: UserRecord) -> [GroupChoice.Pending] {
        users.accounts.compactMap { account in
            if migration?.selection.keeps(account.id) ?? false { return nil }
            if !isTakenBack { return .migration(of: account.id, from: from, to: to) }
            return account.tokens.signIn.map { .migration(of: account.id, from: from, to: to, session: $0) }
        }
    }

    /// Indicates whether an app that starts in the meantime takes its copy back: several apps each get one in their own
    /// slots.
    var isTakenBack: Bool { to == .own && apps.count > 1 }

    private mutating func copy(_ app: Int, attempt: Int) -> [Effect] {
        guard let migration else { return [] }
        state = .copying(app, attempt: attempt)
        return [.copy(migration.contents, app: app)]
    }

    private mutating func copied(_ result: Result<SlotCopy, AuthError>, _ app: Int, _ attempt: Int) -> [Effect] {
        do throws(AuthError) {
            let made = try result.get()
            if let former = index(for: apps[app]) { copies[former].take(made) } else { copies.append(made) }
            state = .readingBack(app, attempt: attempt)
            return [.readBack(app: app)]
        } catch {
            guard let migration, migration.course.isOutside, apps[app].id != nil, migration.policy.joins(after: error)
            else { return fail(app, error) }
            apps[app].state = .there(isJoining: true)
            return bring(from: app + 1)
        }
    }

    private mutating func readBack(_ result: Result<Revision?, AuthError>, _ app: Int, _ attempt: Int) -> [Effect] {
        do throws(AuthError) {
            if try result.get() == copy(for: apps[app])?.contents.revision {
                apps[app].state = .there(isJoining: false)
                return bring(from: app + 1)
            }
            return attempt < Self.attempts ? copy(app, attempt: attempt + 1) : fail(app, .changedMeanwhile(to))
        } catch {
            return fail(app, error)
        }
    }

    /// Fails an app whose users were not copied. All apps share the slot of a group, and fail together: otherwise the same
    /// session would be in two groups, and a sign-out would end it in one.
    private mutating func fail(_ app: Int, _ error: AuthError) -> [Effect] {
        for app in to == .own ? [app] : present { apps[app].state = .failed(error) }
        return bring(from: app + 1)
    }

    // MARK: Parts

    var migration: Migration? { if case .migration(let migration) = kind { migration } else { nil } }

    /// The apps that have not failed.
    var present: [Int] { apps.indices.filter { apps[$0].failure == nil } }

    /// Indicates whether apps move, and no other needs the source.
    var isSourceFree: Bool { !present.isEmpty && apps.allSatisfy { $0.failure == nil || $0.isElsewhere } }

    func index(for app: AppMove) -> Int? { copies.firstIndex { to != .own || $0.appID == app.id } }

    /// Indicates whether the originals were deleted, or the user whom a switch leaves behind.
    var isDeleted: Bool { if case .deleted = end { true } else { false } }

    /// The reason why something that was to be deleted may still be there.
    var leftBehind: AuthError? { if case .leftBehind(let error) = end { error } else { nil } }

    /// Indicates whether the store keeps what it acknowledges.
    var isDurable: Bool { migration?.isDurable ?? true }

    /// Indicates whether the originals may still be there when apps use the copy, which names them then: a sign-out of the
    /// copy ends them, too. Of several apps that share a group, one may be unable to leave the source.
    var mayLeaveOriginals: Bool { !isDurable || to != .own && apps.count > 1 }

    /// Returns the copy in the slot in which an app is to find its users.
    func copy(for app: AppMove) -> SlotCopy? { index(for: app).map { copies[$0] } }
}
