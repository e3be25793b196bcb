/// One app in a move, and how far it has got.
struct AppMove {
    /// A place in which the app may store its choice, as it was looked at.
    struct Place {
        /// Indicates whether the app has ever chosen a slot there.
        let hasChoice: Bool
        var choice: GroupChoice
        /// The file of the choice; nil if it is kept in memory.
        var path: String?
    }

    /// One of the places of one of the apps in a move.
    struct PlaceOfApp {
        let app: Int
        let place: Int
    }

    enum State {
        /// Nothing is known to be at the target yet.
        case waiting
        /// The app finds its users at the target, as far as they have to arrive there, or another user, whom it joins.
        case there(isJoining: Bool)
        /// The target is the app's choice.
        case chosen(isJoining: Bool)
        /// It failed, and may still need the source.
        case failed(AuthError)
        /// It uses another slot, and needs neither source nor target.
        case elsewhere(AuthError)
        /// It failed, and the app's next start settles the move.
        case pending(AuthError)
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

    /// A place in which the choice was changed.
    struct Changed {
        let place: Int
        let change: ChoiceChange
        /// The former choice.
        let before: GroupChoice
    }

    /// The app; nil for a group that no known app has chosen.
    let id: String?
    /// Indicates whether a process of the app makes the move: it is at the source, whatever the stored choice.
    let isRunning: Bool
    var places: [Place] = []
    /// The places of which the choice was not the target when the move began.
    private(set) var placesToChoose: [Int] = []
    var state = State.waiting
    var changed: [Changed] = []
    /// Indicates whether the app is at the target, and a move from there to the source is to be cancelled.
    var isReturning = false

    init(_ id: String?, isRunning: Bool = false, places: [Place] = []) {
        (self.id, self.isRunning, self.places) = (id, isRunning, places)
    }

    var failure: AuthError? {
        switch state {
        case .failed(let error), .elsewhere(let error), .pending(let error): error
        case .waiting, .there, .chosen: nil
        }
    }

    var isJoining: Bool {
        switch state {
        case .there(let isJoining), .chosen(let isJoining): isJoining
        case .waiting, .failed, .elsewhere, .pending: false
        }
    }

    var isElsewhere: Bool { if case .elsewhere = state { true } else { false } }

    /// Indicates whether a choice was stored.
    var isChosen: Bool { if case .chosen = state { !changed.isEmpty } else { false } }

    /// Notes which places are to choose the target.
    mutating func begin(from source: Slot, to target: Slot) {
        placesToChoose = concerned(from: source).filter { places[$0].choice.slot != target }
    }

    /// Ends the app's part in the move.
    mutating func fail(_ error: AuthError, from source: Slot, to target: Slot) {
        let isAtSource = places.contains { $0.choice.slot == source }
        if !isAtSource, case .elsewhere = chosenSlot(from: source, to: target) {
            state = .elsewhere(error)
        } else {
            state = .failed(error)
        }
    }

    /// Returns whether another process has chosen the target since the move began, in all places that were to choose
    /// it.
    func isChosenMeanwhile(_ target: Slot) -> Bool {
        !placesToChoose.isEmpty && placesToChoose.allSatisfy { places[$0].choice.slot == target }
    }

    /// Returns the places that a move from a slot concerns.
    ///
    /// In a place in which it has not chosen, an app is in its own slot. A move from a group ignores such places if the
    /// app has chosen in another one.
    func concerned(from source: Slot) -> [Int] {
        if isRunning || source == .own || !places.contains(where: \.hasChoice) { return Array(places.indices) }
        return places.indices.filter { places[$0].hasChoice }
    }

    /// Returns whether the app is at the source or at the target, according to its stored choices. A choice that is
    /// neither takes precedence.
    func chosenSlot(from source: Slot, to target: Slot) -> ChosenSlot {
        if isRunning { return .atSource }
        let concerned = concerned(from: source).map { places[$0] }
        if let other = concerned.first(where: { $0.choice.slot != source && $0.choice.slot != target }) {
            return .elsewhere(other.choice.slot, concerned.count > 1 ? other.path : nil)
        }
        if concerned.contains(where: { $0.choice.slot == source }) { return .atSource }
        return concerned.contains { $0.choice.isMoving(to: source) } ? .leavingTarget : .atTarget
    }

    /// Returns whether the app was at the target before any user arrived there from the source group.
    func isResident(from source: Slot, to target: Slot) -> Bool {
        guard source != .own, chosenSlot(from: source, to: target) == .atTarget else { return false }
        return !places.contains { $0.choice.steps.contains { $0.isOver(from: source, to: target) } }
    }

    /// Returns whether the app's choice is the target, and it still has to delete the source's contents.
    func hasBegunDeletion(of revision: Revision, from source: Slot) -> Bool {
        places.contains { place in
            place.choice.steps.contains { if case .deletion(source, revision, _) = $0 { true } else { false } }
        }
    }
}

extension GroupChoice.Pending {
    /// Returns whether the step is obsolete once users have moved from one slot to another, and the first is empty.
    func isOver(from source: Slot, to target: Slot) -> Bool {
        switch self {
        case .migration(_, _, let noted, _): noted == target
        case .deletion(let slot, _, _): slot == source
        }
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
}
