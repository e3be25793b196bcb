extension UserMigration {
    /// An app, its slots and its journals: one for each state directory that it may use. Such a directory is called a
    /// place of the app.
    struct AppPlace: Sendable {
        let id: String
        let slots: UserSlots
        let journals: [Journal]
        /// Indicates whether a process of the app moves its own user: it is at the source, whatever the stored choice.
        var isRunning = false

        /// Creates the place of an app whose process moves its own user.
        static func running(of engine: AuthEngine) -> AppPlace {
            AppPlace(id: engine.slots.appID, slots: engine.slots, journals: [engine.journal], isRunning: true)
        }

        /// Returns whether the app is at the source or at the target, according to its stored choices. A choice that is
        /// neither takes precedence.
        ///
        /// In a place in which it has not chosen, an app is in its own slot. A move from a group ignores such places if
        /// the app has chosen in another one.
        ///
        /// - Throws: the error that keeps a choice from being read.
        func chosenSlot(from: Slot, to: Slot, by deadline: Deadline) throws(AuthError) -> ChosenSlot {
            if isRunning { return .atSource }
            var choices: [(choice: GroupChoice, journal: Journal)] = []
            for journal in try concerned(from, by: deadline) {
                choices.append((try journal.read(by: deadline), journal))
            }
            if let (other, journal) = choices.first(where: { $0.choice.slot != from && $0.choice.slot != to }) {
                return .elsewhere(other.slot, choices.count > 1 ? journal.path : nil)
            }
            if choices.contains(where: { $0.choice.slot == from }) { return .atSource }
            return choices.contains { $0.choice.isMoving(to: from) } ? .leavingTarget : .atTarget
        }

        /// Returns the journals that a move from a slot concerns.
        func concerned(_ from: Slot, by deadline: Deadline) throws(AuthError) -> [Journal] {
            if isRunning { return journals }
            var stored: [Journal] = []
            for journal in journals where try journal.hasChoice(by: deadline) { stored.append(journal) }
            return from == .own || stored.isEmpty ? journals : stored
        }

        /// Cancels moves of users between two slots that have begun and not ended.
        func cancelMove(from source: Slot, to target: Slot, by deadline: Deadline) throws(AuthError) {
            for journal in journals {
                try journal.change(by: deadline) { if $0.slot == source { $0.endMigrations(to: target) } }
            }
        }

        /// Stores the target of a move as the app's choice, in each of its places that has the source's choice: in all
        /// of them or in none.
        ///
        /// - Parameters:
        ///   - accounts: the accounts that have moved; empty if the app joins another user.
        ///   - source: the contents to delete, which the last of the journals notes; nil if the source is still needed.
        ///   - isReturning: whether the app is at the target, and a move from there to the source is to be cancelled.
        /// - Returns: the changed places.
        /// - Throws: the reason why nothing has changed, or `outcomeUnknown` if something has changed.
        func choose(
            _ move: SlotMove,
            of accounts: [AccountID],
            leaving source: SlotContents?,
            isReturning: Bool,
            isDurable: Bool,
            run: String?
        ) throws(AuthError) -> [ChangedPlace] {
            var changed: [ChangedPlace] = []
            do throws(AuthError) {
                let journals = try concerned(move.from, by: move.deadline)
                for (place, journal) in journals.enumerated() {
                    let left = place == journals.count - 1 ? source : nil
                    let change = MovedChoice(move, of: accounts, leaving: left, isDurable: isDurable, run: run)
                    var before: GroupChoice?
                    var isCancelled = false
                    let choice = try journal.change(by: move.deadline) { choice in
                        before = isRunning || choice.slot == (isReturning ? move.to : move.from) ? choice : nil
                        // Another process of the app, or a move back, may have cancelled an app's own move.
                        isCancelled = before != nil && move.demandsNote && !choice.isMoving(to: move.to)
                        guard before != nil, !isCancelled else { return }
                        change.apply(to: &choice)
                    }
                    if isCancelled { throw .changedMeanwhile(move.from) }
                    if let before { changed.append(ChangedPlace(journal: journal, before: before)) }
                    if choice.slot != move.to { throw .elsewhere(id, choice.slot, journal.path) }
                }
            } catch {
                for place in changed {
                    do throws(AuthError) {
                        try place.putBack(from: move.to, by: .after(move.migration.timeout))
                    } catch let second {
                        throw .halfChosen(error, second)
                    }
                }
                throw error
            }
            return changed
        }
    }

    /// A place of an app in which a move has changed the choice.
    struct ChangedPlace {
        let journal: Journal
        let before: GroupChoice

        /// Puts the former choice back, unless the app has chosen yet another slot.
        func putBack(from target: Slot, by deadline: Deadline) throws(AuthError) {
            try journal.change(by: deadline) { if $0.slot == target { $0 = before } }
        }
    }

    enum ChosenSlot: Equatable {
        case atSource
        case atTarget
        /// The app uses the target, and a move from there to the source has begun and not ended.
        case leavingTarget
        /// The app uses another slot. The path names the file that says so, if the app has several.
        case elsewhere(Slot, String?)

        var isAtTarget: Bool { self == .atTarget || self == .leavingTarget }
    }
}

extension AuthError {
    /// Returns the error for an app whose stored choice is neither source nor target.
    static func elsewhere(_ appID: String, _ slot: Slot, _ path: String?) -> AuthError {
        AuthError(
            .conflict,
            "\(appID) uses \(slot.description) by its stored choice\(path.map { " in \($0)" } ?? "").",
            remedy: path == nil
                ? "Migrate its users from there."
                : "Migrate its users from there, or remove the file if the app does not use it."
        )
    }

    /// Returns the error for an app that has chosen the target in one place and not in another.
    fileprivate static func halfChosen(_ error: AuthError, _ second: AuthError) -> AuthError {
        AuthError(
            .outcomeUnknown,
            "\(error.text) The app's other choice could not be put back: \(second.message) The user is in both slots.",
            remedy: "Migrate again.",
            underlying: error
        )
    }
}
