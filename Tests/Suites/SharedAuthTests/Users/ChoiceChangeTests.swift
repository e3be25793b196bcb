import SecretService
import TestSupport
import Testing

@testable import SharedAuth

/// Changes of a stored choice that are taken back, perhaps after other processes have changed the choice, too.
struct ChoiceChangeTests {
    private static let revision = Revision(counter: 1, nonce: 1)
    private static let move = GroupChoice.Move(from: .own, to: .shared, accounts: ["x"], nonce: 1)
    private static let later = GroupChoice.Move(from: .own, to: .shared, accounts: ["y"], nonce: 2)
    private static let atTarget = GroupChoice.Original("x", slot: .shared, revision: revision, target: .own)
    private static let ofOwn = GroupChoice.Original("x", slot: .elsewhere, revision: revision, target: .own)
    private static let others = GroupChoice.Original("y", slot: .own, revision: revision, target: .elsewhere)
    private static let begun = GroupChoice.Pending.migration(of: "y", from: .own, to: .elsewhere)

    /// A switch that leaves `x` behind, and a migration that leaves its original.
    static let changes: [ChoiceChange] = {
        var migration = ChoiceChange(from: .own, to: .shared, nonce: 3, of: ["x"])
        migration.leave(
            UserRecord().signingIn(Account(profile: UserProfile(uid: "x"), tokens: .scripted("x", "1"), project: "p")),
            in: .own,
            at: revision,
            isDurable: false,
            run: nil
        )
        return [ChoiceChange(switchingTo: .shared, leaving: .init(account: "x", revision: revision)), migration]
    }()

    /// Choices with all that a change may remove.
    static let choices = [
        GroupChoice(moves: nil),
        GroupChoice(moves: [move]),
        GroupChoice(
            pending: .migration(of: "x", from: .own, to: .shared),
            remainingOriginals: [others, ofOwn, atTarget]
        ),
        GroupChoice(slot: .elsewhere, moves: [move], pending: .deletion(of: .shared, revision: revision)),
    ]

    @Test("A change that is taken back leaves nothing", arguments: changes, choices)
    func alone(_ change: ChoiceChange, _ before: GroupChoice) {
        var choice = before
        change.apply(to: &choice)
        change.takeBack(from: &choice, to: before)
        #expect(choice == before)
    }

    @Test("What other processes have added since stays", arguments: changes)
    func added(_ change: ChoiceChange) {
        var choice = GroupChoice()
        change.apply(to: &choice)
        choice.begin(Self.begun)
        choice.remainingOriginals.append(Self.others)
        change.takeBack(from: &choice, to: GroupChoice())
        #expect(choice == GroupChoice(pending: Self.begun, remainingOriginals: [Self.others]))
    }

    @Test("A choice with a move of another process stays, without what was left to delete", arguments: changes)
    func moved(_ change: ChoiceChange) {
        var choice = GroupChoice()
        change.apply(to: &choice)
        choice.note(Self.later)
        let moves = choice.moves
        change.takeBack(from: &choice, to: GroupChoice())
        #expect(choice == GroupChoice(slot: .shared, moves: moves))
    }

    @Test("Yet another slot that was chosen since stays", arguments: changes)
    func elsewhere(_ change: ChoiceChange) {
        var choice = GroupChoice()
        change.apply(to: &choice)
        choice.choose(.elsewhere)
        let chosen = choice
        change.takeBack(from: &choice, to: GroupChoice())
        #expect(choice == chosen)
    }
}
