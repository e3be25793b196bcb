extension UserMigration {
    /// An app, its slots and its journals.
    struct AppPlace: Sendable {
        let id: String
        let slots: UserSlots
        let journals: [Journal]

        /// Where the app stands by its stored choices, which have to agree as far as they are neither of source nor target.
        ///
        /// An app that has not chosen in one of its places is in its own slot there. That is no concern of a move from a group, if
        /// it has chosen elsewhere.
        func chosenSlot(from: Slot, to: Slot, by deadline: Deadline) throws(AuthError) -> ChosenSlot {
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

        /// The journals that a move from a slot is about.
        func concerned(_ from: Slot, by deadline: Deadline) throws(AuthError) -> [Journal] {
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

        /// Has the app look for its users at the target of a move, in each of its places that has the source's choice; in all of
        /// them or in none.
        ///
        /// - Parameters:
        ///   - source: what the last of its journals notes to be deleted; nil if the source is still needed.
        ///   - isReturning: whether the app is at the target, and a move from there to the source is to be cancelled.
        /// - Returns: the places that had it.
        /// - Throws: why nothing has changed, or `outcomeUnknown` if that is not so.
        func choose(
            _ move: SlotMove,
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
                    let change = MovedChoice(move, leaving: left, isDurable: isDurable, run: run)
                    var before: GroupChoice?
                    var isCancelled = false
                    let choice = try journal.change(by: move.deadline) { choice in
                        before = choice.slot == (isReturning ? move.to : move.from) ? choice : nil
                        // An app's own move may have been cancelled by another process of the app, or by a move back.
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

    /// A place of an app whose choice a move has changed.
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
        /// The app uses another slot, by what is stored in this file, if it has several.
        case elsewhere(Slot, String?)

        var isAtTarget: Bool { self == .atTarget || self == .leavingTarget }
    }
}

extension AuthError {
    /// What is said of an app whose stored choice is neither source nor target.
    static func elsewhere(_ appID: String, _ slot: Slot, _ path: String?) -> AuthError {
        AuthError(
            .conflict,
            "\(appID) uses \(slot.description) by its stored choice\(path.map { " in \($0)" } ?? "").",
            remedy: path == nil
                ? "Migrate its users from there."
                : "Migrate its users from there, or remove the file if the app does not use it."
        )
    }

    /// What is said where one place of an app has the choice of the target, and another one not.
    fileprivate static func halfChosen(_ error: AuthError, _ second: AuthError) -> AuthError {
        AuthError(
            .outcomeUnknown,
            "\(error.text) The app's choice in another place could not be put back: \(second.message) The user is in both slots.",
            remedy: "Migrate again.",
            underlying: error
        )
    }
}
