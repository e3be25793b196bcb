internal import SharedAuth

/// Checks what each call of a history did to the slots: only what it may do, and what its result says it did.
///
/// The registers' order is not its concern: ``LinearizabilityChecker`` checks that.
package struct HistoryRules {
    /// A call that broke a rule.
    package struct Violation: CustomStringConvertible {
        /// The rule that was broken, and how.
        package let text: String
        /// The smallest history that shows it: the calls that wrote what the call found, and the call.
        package let history: [HistoryAct]

        package var description: String { ([text] + history.map { "\($0)" }).joined(separator: "\n    ") }
    }

    static let tenantMismatch = AuthErrorCode.tenantIDMismatch.rawValue

    /// The acts, in the order in which they began.
    private let acts: [HistoryAct]
    /// The token for which another was issued, by that one.
    private let origins: [String: String]
    /// The process that has got a token by an exchange.
    private let owners: [String: Int]
    /// The sessions that `updateCurrentUser` may have copied to a second slot.
    private let copied: Set<String>
    /// The tokens that migrations have copied. As long as the original is there, a process at the source and one at the
    /// target may both use it; the one that is refused uses the tokens of the other.
    private let moved: Set<String>
    /// The time at which a session was first signed out of a slot, or replaced there. A process that still shows its user
    /// may use a token that another one has used since.
    private var dropped: [String: UInt64] = [:]
    /// The calls that were to delete a token from a slot: switches and migrations, by their places.
    private var left: [Left: Set<Int>] = [:]
    private var violations: [Violation] = []

    private struct Left: Hashable {
        let slot: String
        let token: String
        /// The app that may finish the deletion; nil for all apps.
        let app: String?
    }

    private init(_ acts: [HistoryAct]) {
        self.acts = acts.sorted { $0.began < $1.began }
        var (origins, owners): ([String: String], [String: Int]) = ([:], [:])
        for act in acts {
            for case (let used, let issued?) in act.exchanges.map({ ($0.used, $0.issued) }) {
                (origins[issued], owners[issued]) = (used, act.process)
            }
        }
        (self.origins, self.owners) = (origins, owners)
        copied = Set(
            acts.flatMap { act -> [String] in
                guard case .update(let token) = act.call else { return [] }
                return ([token] + act.updates.flatMap(\.added)).map { Self.session(of: $0, origins) }
            }
        )
        moved = Set(acts.filter { $0.call.target != nil }.flatMap { $0.updates.flatMap(\.added) })
    }

    /// Returns the calls that broke a rule.
    ///
    /// - Parameter end: the contents of the slots after each app has started once more.
    package static func violations(in acts: [HistoryAct], end: [String: String?]) -> [Violation] {
        var rules = HistoryRules(acts)
        for (place, act) in rules.acts.enumerated() {
            rules.noteLeft(by: act, place)
            rules.noteDropped(by: act)
        }
        for (place, act) in rules.acts.enumerated() { rules.check(act, place) }
        rules.check(end)
        return rules.violations
    }

    private mutating func check(_ act: HistoryAct, _ number: Int) {
        for (place, update) in act.updates.enumerated() where update.before != update.after {
            if isAllowed(update, at: place, of: act) || isFinished(update, by: act, number)
                || isResumed(update, at: place, of: act)
            {
                continue
            }
            report("An update is not the call's: \(update)", act, update)
        }
        if let error = act.error {
            if !expectedErrors(of: act).contains(error) { report("The call failed with \(error).", act) }
            if isChanged(byFailure: act) { report("A call failed and changed what the process shows.", act) }
        } else if let flaw = flaw(ofSuccess: act) {
            report(flaw, act)
        }
        if let flaw = flaw(ofView: act) { report(flaw, act) }
    }

    // MARK: Updates

    private func isAllowed(_ update: HistoryAct.Update, at place: Int, of act: HistoryAct) -> Bool {
        if isSaved(update, by: act) || isBroughtBack(update, at: place, by: act) { return true }
        switch act.call {
        case .rest, .chooseTenant, .read: return false
        case .refresh:
            // The identity provider has refused the token.
            let refused = act.exchanges.filter { $0.issued == nil }.map(\.used)
            return update.added.isEmpty && update.removed.allSatisfy(refused.contains)
        case .signOut: return update.added.isEmpty && update.removed.allSatisfy { isShown($0, by: act, in: update) }
        case .use(let slot):
            return update.added.isEmpty && update.slot == act.ownSlot && slot != act.ownSlot
                && (act.isObserving || act.before.slot == act.ownSlot)
                && update.removed.allSatisfy { isShown($0, by: act, in: update) }
        case .signIn(let token):
            return act.error == nil && update.added == [token] && SlotText.current(of: update.after) == token
                && isReplaced(update.removed, by: token, act, in: update)
        case .update(let token):
            // Newer tokens of the same account are kept. Those of the user whom a process shows may change meanwhile.
            return act.error == nil && update.added.allSatisfy { $0 == token || act.isObserving }
                && SlotText.current(of: update.after).map(account) == account(token)
                && isReplaced(update.removed, by: token, act, in: update)
        case .migrate(let slot, let policy):
            return isPartOfMove(update, at: place, of: act, to: slot, from: nil, replaces: policy == .replace)
        case .move(let from, let to): return isPartOfMove(update, at: place, of: act, to: to, from: from)
        }
    }

    /// Returns whether an update only saves tokens that this process has got for those that it replaces.
    private func isSaved(_ update: HistoryAct.Update, by act: HistoryAct) -> Bool {
        update.added.count == 1 && update.removed.count == 1 && origins[update.added[0]] == update.removed[0]
            && owners[update.added[0]] == act.process
    }

    /// Returns whether an update of a move that is taken back only saves the tokens of copied sessions, or of those that
    /// were there already, that others have got at the target in the meantime.
    private func isBroughtBack(_ update: HistoryAct.Update, at place: Int, by act: HistoryAct) -> Bool {
        guard let target = act.call.target, target != update.slot, !update.added.isEmpty else { return false }
        let found = act.updates[..<place].filter { $0.slot == target }
        let copied = Set(found.flatMap { SlotText.tokens(of: $0.after) }.map(session))
        return update.added.allSatisfy { origins[$0] != nil && copied.contains(session(of: $0)) }
            && Set(update.added.map(session)) == Set(update.removed.map(session))
    }

    /// Returns whether an update only deletes what another switch or migration of the app has left.
    private func isFinished(_ update: HistoryAct.Update, by act: HistoryAct, _ number: Int) -> Bool {
        update.added.isEmpty
            && update.removed.allSatisfy { token in
                // A tool finishes what any app has left.
                [act.ownSlot ?? update.slot, nil].contains { app in
                    left[Left(slot: update.slot, token: token, app: app)]?.contains { $0 != number } ?? false
                }
            }
    }

    /// Returns whether an update carries out a migration by another process of the app that is under way: its step is in
    /// the journal, and whoever finds it there finishes it: a process that observes others, or one that starts, which is
    /// before its first act.
    private func isResumed(_ update: HistoryAct.Update, at place: Int, of act: HistoryAct) -> Bool {
        acts.contains { move in
            guard act.isObserving || update.began < act.began, case .migrate(let target, let policy) = move.call,
                move.process != act.process, move.ownSlot == act.ownSlot, move.began < update.ended,
                move.ended > update.began
            else { return false }
            // Nobody else is brought to the target.
            let moved = Set(([move.before.user].compactMap(\.self) + move.updates.flatMap(\.added)).map(account))
            return update.added.allSatisfy { moved.contains(account($0)) }
                && isPartOfMove(update, at: place, of: act, to: target, from: nil, replaces: policy == .replace)
        }
    }

    /// Returns whether the process shows the user of a token, or may have shown them.
    private func isShown(_ token: String, by act: HistoryAct, in update: HistoryAct.Update) -> Bool {
        var shown = [act.before.user]
        if act.isObserving { shown += [act.after.user, SlotText.current(of: update.before)] }
        return shown.contains { $0.map(account) == account(token) }
    }

    private func isReplaced(
        _ removed: [String],
        by token: String,
        _ act: HistoryAct,
        in update: HistoryAct.Update
    ) -> Bool {
        removed.allSatisfy { former in
            former == SlotText.current(of: update.before) || account(former) == account(token)
                || isShown(former, by: act, in: update)
        }
    }

    /// Returns whether an update is a copy to the target, its end, or the deletion from the source of what has arrived.
    private func isPartOfMove(
        _ update: HistoryAct.Update,
        at place: Int,
        of act: HistoryAct,
        to target: String,
        from source: String?,
        replaces: Bool = false
    ) -> Bool {
        let earlier = act.updates[..<place]
        if update.slot == target {
            // A user who was copied twice is taken back at once.
            let copies = earlier.filter { $0.slot == target }
            let isTakenBack = copies.last?.after == update.before && copies.contains { $0.before == update.after }
            let hasLeft = earlier.contains { $0.slot != target && !$0.removed.isEmpty }
            if isTakenBack { return !hasLeft }
            let accounts = Set(update.added.map(account))
            // A look at the source tells whether the users were there.
            return !update.added.isEmpty && update.removed.allSatisfy { accounts.contains(account($0)) || replaces }
        }
        guard update.added.isEmpty, source.map({ $0 == update.slot }) ?? true else { return false }
        guard let copy = earlier.last(where: { $0.slot == target })?.after else { return false }
        let arrived = Set(SlotText.tokens(of: copy).map(account))
        return update.removed.allSatisfy { arrived.contains(account($0)) }
    }

    private mutating func noteLeft(by act: HistoryAct, _ number: Int) {
        switch act.call {
        case .use(let slot):
            guard let own = act.ownSlot, slot != own else { return }
            let found = act.updates.filter { $0.slot == own }.map { SlotText.current(of: $0.before) }
            for token in ([act.before.user] + found).compactMap(\.self) {
                left[Left(slot: own, token: token, app: own), default: []].insert(number)
            }
        case .migrate(let slot, _): noteLeft(of: act.updates.filter { $0.slot != slot }, app: act.ownSlot, number)
        case .move(let from, _): noteLeft(of: act.updates.filter { $0.slot == from }, app: nil, number)
        default: break
        }
    }

    private mutating func noteDropped(by act: HistoryAct) {
        let target = act.call.target
        let copies = Set(target == nil ? [] : act.updates.flatMap(\.added).map(session))
        // A migration keeps what it removes, except for users of its target that it replaces.
        for update in act.updates where target.map({ $0 == update.slot }) ?? true {
            let stayers = copies.union(update.added.map(session))
            for session in update.removed.map(session) where !stayers.contains(session) {
                dropped[session] = min(dropped[session] ?? .max, update.began)
            }
        }
    }

    private mutating func noteLeft(of updates: [HistoryAct.Update], app: String?, _ number: Int) {
        for update in updates {
            for token in SlotText.tokens(of: update.before) {
                left[Left(slot: update.slot, token: token, app: app), default: []].insert(number)
            }
        }
    }

    // MARK: Results

    private func expectedErrors(of act: HistoryAct) -> Set<Int> {
        let codes: [AuthErrorCode] =
            switch act.call {
            case .rest, .signOut, .read, .chooseTenant, .move: []
            case .use: isOvertaken(act) ? [.tenantIDMismatch, .conflict] : [.tenantIDMismatch]
            case .signIn, .update: [.tenantIDMismatch]
            // A copy that another process has overwritten cannot be taken back: the next start looks at it.
            case .migrate: [.accessGroupOccupied, .nullUser, .conflict, .outcomeUnknown, .tenantIDMismatch]
            // The other copy of a session was used; the user has signed out, or is in another slot; another issuer's user.
            case .refresh:
                [.invalidUserToken, .userTokenExpired, .userNotFound, .nullUser, .operationNotAllowed, .issuerMismatch]
            }
        return Set(codes.map(\.rawValue))
    }

    /// Returns whether others may have changed the app's choice again and again during a switch, each of them once or, if
    /// it took a choice back, twice.
    private func isOvertaken(_ act: HistoryAct) -> Bool {
        let others = acts.count { other in
            guard other.process != act.process, other.began < act.ended, other.ended > act.began else { return false }
            return switch other.call {
            case .use, .migrate: other.ownSlot == act.ownSlot
            case .move: true
            default: false
            }
        }
        return others >= 2
    }

    private func isChanged(byFailure act: HistoryAct) -> Bool {
        if act.isObserving { return false }
        return switch act.call {
        case .use: act.before != act.after
        case .signIn(let token), .update(let token): act.after.user == token && act.before.user != token
        default: false
        }
    }

    private func flaw(ofSuccess act: HistoryAct) -> String? {
        let accounts = Set(act.updates.compactMap { SlotText.current(of: $0.after).map(account) })
        switch act.call {
        case .signIn(let token):
            let isStored = act.updates.contains { SlotText.current(of: $0.after) == token }
            if !isStored { return "A user who has signed in was not stored." }
            return act.isObserving || act.after.user == token ? nil : "A user who has signed in is not shown."
        case .update(let token):
            if !accounts.contains(account(token)) { return "A user who was made current was not stored." }
            let isShown = act.isObserving || act.after.user.map(account) == account(token)
            return isShown ? nil : "A user who was made current is not shown."
        case .use(let slot): return act.isObserving || act.after.slot == slot ? nil : "The slot was not switched."
        case .signOut:
            let isSignedOut = act.isObserving || act.before.user == nil || act.before.user != act.after.user
            return isSignedOut ? nil : "A user who has signed out is shown."
        case .refresh:
            let isUsedTwice = act.exchanges.contains { exchange in
                let session = session(of: exchange.used)
                return exchange.issued == nil && !copied.contains(session) && !moved.contains(exchange.used)
                    && dropped[session].map { $0 > act.ended } ?? true
            }
            return isUsedTwice ? "A token of one slot was used twice." : nil
        default: return nil
        }
    }

    /// Returns what is wrong with the user and the slot that a process shows.
    private func flaw(ofView act: HistoryAct) -> String? {
        if act.isObserving { return nil }
        if let user = act.after.user, act.before.user.map(account) != account(user), act.before.isTenantChosen {
            let tenant = if case .chooseTenant(let tenant) = act.call { tenant } else { act.before.tenant }
            if SessionToken(user).tenant != tenant { return "A user of another tenant became current." }
        }
        switch act.call {
        case .use, .migrate, .rest, .move: return nil
        default: return act.before.slot == act.after.slot || isFollowed(act) ? nil : "A process left its slot."
        }
    }

    /// Returns whether migrations of the app lead from the slot before an act to the slot afterwards.
    private func isFollowed(_ act: HistoryAct) -> Bool {
        var reached: Set<String> = [act.before.slot]
        for move in acts where move.began < act.ended && (move.ownSlot == nil || move.ownSlot == act.ownSlot) {
            switch move.call {
            case .migrate(let slot, _):
                if move.updates.contains(where: { $0.slot != slot && reached.contains($0.slot) }) {
                    reached.insert(slot)
                }
            case .move(let from, let to): if reached.contains(from) { reached.insert(to) }
            default: break
            }
        }
        return reached.contains(act.after.slot)
    }

    // MARK: The end

    /// Checks that no session is in two slots, and that none is left of those that have ended.
    private mutating func check(_ end: [String: String?]) {
        var places: [String: [String]] = [:]
        for (slot, text) in end {
            for token in SlotText.tokens(of: text) { places[session(of: token), default: []].append(slot) }
        }
        for (session, slots) in places.sorted(by: { $0.key < $1.key }) where !copied.contains(session) {
            let acts = acts.filter { act in
                act.updates.contains { ($0.added + $0.removed).contains { self.session(of: $0) == session } }
            }
            if slots.count > 1 {
                violations.append(Violation(text: "\(session) is in \(slots.sorted()).", history: acts))
            }
            if let end = acts.first(where: { $0.call == .signOut && $0.error == nil && $0.ends(session, session(of:)) })
            {
                violations.append(
                    Violation(text: "\(session) has signed out and is in \(slots).", history: [end] + acts)
                )
            }
        }
    }

    // MARK: Tokens

    private func account(_ token: String) -> String { SessionToken(token).account }

    private func session(of token: String) -> String { Self.session(of: token, origins) }

    /// Returns the first token of the sign-in that a token comes from.
    private static func session(of token: String, _ origins: [String: String]) -> String {
        var token = token
        while let origin = origins[token] { token = origin }
        return token
    }

    private mutating func report(_ text: String, _ act: HistoryAct, _ update: HistoryAct.Update? = nil) {
        let found = Set(
            update.map { [$0.before, $0.after].compactMap(\.self) } ?? [act.before.user].compactMap(\.self)
        )
        let sources = acts.filter { other in
            other != act && other.began < act.ended
                && other.updates.contains { $0.before != $0.after && found.contains($0.after ?? "") }
        }
        let users = acts.filter { other in
            other != act && other.exchanges.contains { act.exchanges.map(\.used).contains($0.used) }
        }
        violations.append(Violation(text: text, history: sources.suffix(4) + users + [act]))
    }
}

extension HistoryAct {
    fileprivate func ends(_ session: String, _ sessionOf: (String) -> String) -> Bool {
        updates.contains { $0.removed.contains { sessionOf($0) == session } }
    }
}
