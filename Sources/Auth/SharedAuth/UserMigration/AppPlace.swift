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

        /// Looks at the app's stored choices.
        ///
        /// - Throws: the error that keeps a choice from being read.
        func look(by deadline: Deadline) throws(AuthError) -> [AppMove.Place] {
            var places: [AppMove.Place] = []
            for journal in journals { places.append(try look(at: journal, by: deadline)) }
            return places
        }

        private func look(at journal: Journal, by deadline: Deadline) throws(AuthError) -> AppMove.Place {
            if isRunning { return .init(hasChoice: true, choice: try journal.read(by: deadline), path: journal.path) }
            // The choice of another machine says nothing about this one.
            if try journal.claim(for: slots, by: deadline) == .begin {
                return .init(hasChoice: false, choice: GroupChoice(), path: journal.path)
            }
            let hasChoice = try journal.hasChoice(by: deadline)
            return .init(hasChoice: hasChoice, choice: try journal.read(by: deadline), path: journal.path)
        }

        /// Returns the app as it was looked at.
        ///
        /// - Throws: the error that keeps a choice from being read.
        func looked(by deadline: Deadline) throws(AuthError) -> AppMove {
            AppMove(id, isRunning: isRunning, places: try look(by: deadline))
        }

        /// Stores the target of a move as the app's choice in a place.
        ///
        /// - Throws: the error that kept the choice from being stored.
        func choose(
            _ change: ChoiceChange,
            over condition: Move.Condition,
            in place: Int,
            by deadline: Deadline
        ) throws(AuthError) -> Move.Choosing {
            var result = Move.Choosing.alreadyThere
            let choose = { (choice: inout GroupChoice) in
                result = condition.result(ofChoosing: change.target, over: choice)
                if case .changed = result { change.apply(to: &choice) }
            }
            if isRunning {
                // The app's own choice changes: it is looked at once more, under its lock.
                try journals[place].changeLocked(by: deadline, replacingDamaged: condition.replacesDamaged, choose)
            } else {
                try settle(journals[place], by: deadline)
                try journals[place].change(by: deadline, choose)
            }
            return result
        }

        /// Notes in a place that steps have begun.
        func noteBegun(_ steps: [GroupChoice.Pending], in place: Int, by deadline: Deadline) throws(AuthError) {
            if !isRunning { try settle(journals[place], by: deadline) }
            try journals[place].noteBegun(steps, by: deadline)
        }

        /// Decides, as the app's next start would, whether a journal is this machine's.
        private func settle(_ journal: Journal, by deadline: Deadline) throws(AuthError) {
            try journal.settle(journal.claim(for: slots, by: deadline), by: deadline)
        }

        /// Puts former choices back, unless the app has chosen yet another slot.
        func putBack(_ changed: [AppMove.Changed], by deadline: Deadline) throws(AuthError) {
            for one in changed {
                try journals[one.place].change(by: deadline) { one.change.takeBack(from: &$0, to: one.before) }
            }
        }

        /// Cancels moves of users between two slots that have begun and not ended.
        func cancelMove(from source: Slot, to target: Slot, by deadline: Deadline) throws(AuthError) {
            for journal in journals {
                try journal.change(by: deadline) { if $0.slot == source { $0.endMigrations(to: target) } }
            }
        }
    }
}

extension Move.Condition {
    /// Indicates whether a damaged file is replaced.
    fileprivate var replacesDamaged: Bool { if case .any = self { true } else { false } }

    /// Returns what storing a target over a choice comes to.
    fileprivate func result(ofChoosing target: Slot, over choice: GroupChoice) -> Move.Choosing {
        switch self {
        case .any: return .changed(before: choice)
        case .noted: return choice.isMoving(to: target) ? .changed(before: choice) : .cancelled
        case .notedSlot(let slot):
            return choice.slot == slot
                ? Self.noted.result(ofChoosing: target, over: choice)
                : Self.slot(slot).result(ofChoosing: target, over: choice)
        case .slot(let slot):
            if choice.slot == slot { return .changed(before: choice) }
            return choice.slot == target ? .alreadyThere : .elsewhere(choice.slot)
        }
    }
}
