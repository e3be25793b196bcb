import Testing

@testable import SharedAuth

/// Tests where the users of a process's slot have moved, by the moves that a stored choice notes.
struct SlotInUseTests {
    private static let (a, b, c) = (
        Slot.group("group.example.a"), Slot.group("group.example.b"), Slot.group("group.example.c")
    )
    private static let (ada, bob) = (AccountID(uid: "ada", issuer: "i"), AccountID(uid: "bob", issuer: "i"))

    struct Row: Sendable, CustomTestStringConvertible {
        let name: String
        let moves: [GroupChoice.Move]?
        var slot = a
        var lastMove: UInt64?
        let user: AccountID?
        let end: Slot?

        var testDescription: String { name }
    }

    private static func move(_ nonce: UInt64, _ from: Slot, _ to: Slot, _ accounts: AccountID...) -> GroupChoice.Move {
        GroupChoice.Move(from: from, to: to, accounts: accounts, nonce: nonce)
    }

    static let rows: [Row] = [
        Row(name: "no move", moves: [], user: ada, end: nil),
        Row(name: "the user moved", moves: [move(1, a, b, ada)], user: ada, end: b),
        Row(name: "another user moved", moves: [move(1, a, b, bob)], user: ada, end: nil),
        Row(name: "somebody moved, nobody is shown", moves: [move(1, a, b, bob)], user: nil, end: b),
        Row(name: "a move of another slot", moves: [move(1, b, c, ada)], user: ada, end: nil),
        Row(name: "two moves", moves: [move(1, a, b, ada), move(2, b, c, ada)], user: ada, end: c),
        Row(name: "there and back", moves: [move(1, a, b, ada), move(2, b, a, ada)], user: ada, end: nil),
        Row(name: "a known move", moves: [move(1, a, b, ada)], lastMove: 1, user: ada, end: nil),
        Row(name: "a later move", moves: [move(1, b, a, ada), move(2, a, c, ada)], lastMove: 1, user: ada, end: c),
        Row(name: "a forgotten move", moves: [move(7, a, c, ada)], lastMove: 1, user: ada, end: c),
        Row(
            name: "only the second moves the user on",
            moves: [move(1, a, b, ada), move(2, b, c, bob)],
            user: ada,
            end: b
        ),
        Row(name: "a file of an earlier version", moves: nil, user: ada, end: nil),
    ]

    @Test("The moves after the last known one decide", arguments: rows)
    func destination(_ row: Row) {
        // The stored slot is of no importance.
        for slot in [Slot.own, Self.a, Self.c] {
            let choice = GroupChoice(slot: slot, moves: row.moves)
            let found = choice.destination(of: row.user, from: SlotInUse(row.slot, lastMove: row.lastMove))
            #expect(found?.slot == row.end)
            if found != nil { #expect(found?.lastMove == row.moves?.last?.nonce) }
        }
    }

    @Test("A choice notes the last sixteen moves, and a switch by hand none")
    func noted() {
        var choice = GroupChoice(moves: nil)
        choice.choose(Self.a)
        #expect(choice.moves == [])
        for nonce in 1...20 { choice.note(Self.move(UInt64(nonce), Self.a, Self.b, Self.ada)) }
        #expect(choice.moves?.map(\.nonce) == Array(5...20))
    }

    @Test("Only a choice of an earlier version leaves its change unexplained")
    func unexplained() {
        #expect(GroupChoice(slot: Self.b, moves: nil).unexplained(in: SlotInUse(Self.a))?.slot == Self.b)
        #expect(GroupChoice(slot: Self.a, moves: nil).unexplained(in: SlotInUse(Self.a)) == nil)
        #expect(GroupChoice(slot: Self.b).unexplained(in: SlotInUse(Self.a)) == nil)
    }
}
