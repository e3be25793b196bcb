import SecretService
import TestSupport
import Testing

@testable import SharedAuth

/// Tests changes of slot as a table: each row is a sequence of events, with the effects of each.
struct MoveTests {
    typealias Steps = [(event: Move.Event, effects: String)]

    struct Row: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let move: @Sendable () -> Move
        let steps: Steps
        /// The end of each app, and of the originals.
        let end: String

        init(
            _ name: String,
            _ move: @escaping @autoclosure @Sendable () -> Move,
            after begun: Steps = [],
            _ steps: Steps,
            end: String
        ) {
            (testDescription, self.move, self.steps, self.end) = (name, move, begun + steps, end)
        }
    }

    @Test("Each event of a change of slot has its effects", arguments: migrations + failures + severalApps + switches)
    func course(_ row: Row) {
        var move = row.move()
        for (number, (event, effects)) in row.steps.enumerated() {
            #expect(words(move.handle(event)) == effects, "after event \(number + 1)")
        }
        #expect(move.apps.map(word).joined(separator: ", ") + word(move.end) == row.end)
        // Events after the end change nothing.
        if row.end != "there" { #expect(move.handle(.leaveFailed(Self.mild)).isEmpty) }
    }

    @Test("A switch locks the slot that it leaves, and reads it only to delete a user")
    func beginnings() {
        #expect(words(Self.app().beginning) == "look")
        #expect(words(Self.joining.beginning) == "lock")
        #expect(words(Self.leaving.beginning) == "hold")
    }

    // MARK: Parts

    static let group = Slot.shared
    static let mild = AuthError(.keychainError, "The test makes it fail.")
    static let occupied = AuthError(.accessGroupOccupied, "The test has another user there.")
    static let damaged = AuthError(.recordDamaged, "The test has damaged it.")
    static let unknown = AuthError(.outcomeUnknown, "The test does not answer.")

    /// Returns the contents of a slot.
    static func slot(_ uids: String..., at revision: UInt64 = 1) -> SlotContents {
        let record = uids.reduce(UserRecord()) { record, uid in
            record.signingIn(
                Account(profile: UserProfile(uid: uid), tokens: .scripted(uid, "1"), project: "p", issuer: "i"),
                keepingOthers: true
            )
        }
        return SlotContents(record: record, revision: uids.isEmpty ? nil : Revision(counter: revision, nonce: revision))
    }

    static let x = AccountID(uid: "x", issuer: "i")
    static let noted = GroupChoice.Pending.migration(of: x, from: .own, to: group)

    /// Returns what a look at an app's places finds.
    static func look(_ choices: GroupChoice...) -> Result<[AppMove.Place], AuthError> {
        .success(choices.map { AppMove.Place(hasChoice: true, choice: $0, path: "/state") })
    }

    static func copy(
        for appID: String? = "a",
        over present: SlotContents = slot(),
        at source: UInt64 = 1,
        namesOriginals: Bool = false
    ) -> SlotCopy {
        SlotCopy(
            of: slot("x").record,
            at: slot("x", at: source).revision,
            for: appID,
            over: present,
            is: slot("x", at: 7),
            isOurs: true,
            namesOriginals: namesOriginals
        )
    }

    static let isThere = Result<Revision?, AuthError>.success(slot("x", at: 7).revision)

    /// Returns a migration of `x` from the app's own slot to a group, by default by the app itself.
    static func app(
        _ ids: [String] = ["a"],
        _ course: UserMigration.Course = .running(.patient),
        from source: Slot = .own,
        _ policy: MigrationPolicy = .fail,
        isDurable: Bool = true
    ) -> Move {
        Move(
            from: source,
            to: group,
            Move.Migration(
                selection: UserMigration.Selection([x]),
                policy: policy,
                course: course,
                nonce: 1,
                users: slot("x").record,
                isDurable: isDurable,
                daemonRun: nil,
                contents: slot("x")
            ),
            of: ids.map { AppMove($0, isRunning: !course.isOutside) }
        )
    }

    /// A switch from the app's own slot to a group, which leaves `x` behind.
    static let joining = Move(
        ChoiceChange(switchingTo: group, leaving: ChoiceChange.Left(slot("x"))),
        from: .own,
        of: AppMove("a", isRunning: true, places: [.init(hasChoice: true, choice: GroupChoice())])
    )
    /// A switch from the group to the app's own slot.
    static let leaving = Move(
        ChoiceChange(switchingTo: .own, leaving: nil),
        from: group,
        of: AppMove("a", isRunning: true, places: [.init(hasChoice: true, choice: GroupChoice(slot: group))])
    )

    // MARK: Words

    private func words(_ effects: [Move.Effect]) -> String {
        effects.map { effect in
            switch effect {
            case .look: "look"
            case .note: "note"
            case .copy: "copy"
            case .readBack: "read back"
            case .lock(let isReading): isReading ? "lock" : "hold"
            case .choose(let change, let condition, let app, let place):
                "choose \(app).\(place)" + (change.deletion == nil ? "" : " deleting")
                    + (change.originals.isEmpty ? "" : " leaving")
                    + (change.move == nil ? "" : " moving") + (isTarget(condition, of: change) ? " again" : "")
            case .tellProgress: "tell"
            case .unlock(let record): record.map { "store \($0.mainUID ?? "nobody")" } ?? "unlock"
            case .beginTakingBack: "extend"
            case .lookAtDeletion: "look at deletion"
            case .putBack(let changed, _, let isInTurn): "\(isInTurn ? "go" : "put") \(changed.count) back"
            case .takeBack: "take back"
            case .settleNames(let app): "settle names of \(app)"
            case .noteEnd(let steps, let app, let place, let isMoved):
                "end \(steps.count) of \(app).\(place)" + (isMoved ? " moved" : "")
            }
        }.joined(separator: ", ")
    }

    private func isTarget(_ condition: Move.Condition, of change: ChoiceChange) -> Bool {
        if case .slot(change.target) = condition { true } else { false }
    }

    private func word(_ end: Move.End) -> String {
        switch end {
        case .kept: ""
        case .deleted: "; deleted"
        case .leftBehind: "; left behind"
        case .overtaken: "; overtaken"
        }
    }

    private func word(_ app: AppMove) -> String {
        switch app.state {
        case .waiting: "waiting"
        case .there: "there"
        case .chosen(let isJoining): isJoining ? "joined" : "chosen"
        case .failed(let error): error.code.name
        case .elsewhere: "elsewhere"
        case .pending(let error): "pending \(error.code.name)"
        }
    }
}
