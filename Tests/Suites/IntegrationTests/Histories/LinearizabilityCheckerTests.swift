import TestSupport
import Testing

/// Tests that the checker accepts exactly the histories that an atomic register can produce.
struct LinearizabilityCheckerTests {
    typealias Step = (process: Int, began: UInt64, ended: UInt64?, action: HistoryOperation.Action)

    struct History: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let isPossible: Bool
        let operations: [HistoryOperation]

        init(_ name: String, isPossible: Bool, _ steps: [Step]) {
            testDescription = name
            self.isPossible = isPossible
            operations = steps.map {
                HistoryOperation(
                    process: $0.process,
                    register: "r",
                    action: $0.action,
                    began: $0.began,
                    ended: $0.ended
                )
            }
        }
    }

    static let histories: [History] = [
        History("nothing", isPossible: true, []),
        History("a read of a finished write", isPossible: true, [(0, 1, 2, .write("a")), (1, 3, 4, .read("a"))]),
        History("a stale read", isPossible: false, [(0, 1, 2, .write("a")), (1, 3, 4, .read(nil))]),
        History("a read of an unwritten value", isPossible: false, [(0, 1, 2, .write("a")), (1, 1, 4, .read("b"))]),
        History(
            "a write under way is seen by one and not by another who begins before it ends",
            isPossible: true,
            [(0, 1, 10, .write("a")), (1, 2, 3, .read(nil)), (2, 4, 5, .read("a"))]
        ),
        History(
            "new, then old again",
            isPossible: false,
            [(0, 1, 10, .write("a")), (1, 2, 3, .read("a")), (2, 4, 5, .read(nil))]
        ),
        History(
            "two readers that saw two writes in different orders",
            isPossible: false,
            [
                (0, 1, 20, .write("a")), (1, 1, 20, .write("b")), (2, 2, 3, .read("a")), (2, 4, 5, .read("b")),
                (3, 6, 7, .read("b")), (3, 8, 9, .read("a")),
            ]
        ),
        History(
            "two swaps of one value",
            isPossible: false,
            [(0, 1, 2, .write("a")), (1, 3, 6, .swap("a", "b")), (2, 3, 6, .swap("a", "c"))]
        ),
        History(
            "a swap and the refusal of another",
            isPossible: true,
            [(0, 1, 2, .write("a")), (1, 3, 6, .swap("a", "b")), (2, 3, 6, .refusal("a"))]
        ),
        History(
            "a refusal without a reason",
            isPossible: false,
            [(0, 1, 2, .write("a")), (2, 3, 6, .refusal("a"))]
        ),
        History(
            "a lost update",
            isPossible: false,
            [(0, 1, 2, .swap(nil, "a")), (1, 3, 4, .swap("a", "b")), (2, 5, 6, .read("a"))]
        ),
        History(
            "a refresh that restores a user whom another signed out",
            isPossible: false,
            [
                (0, 1, 2, .write("x/1")), (2, 4, 5, .write(nil)), (1, 3, 9, .swap("x/1", "x/2")),
                (3, 10, 11, .read("x/2")),
            ]
        ),
        History(
            "a refresh that comes before the sign-out",
            isPossible: true,
            [
                (0, 1, 2, .write("x/1")), (1, 3, 9, .swap("x/1", "x/2")), (2, 4, 5, .swap("x/2", nil)),
                (3, 6, 7, .read(nil)),
            ]
        ),
        History(
            "a sign-out that is seen by nobody",
            isPossible: false,
            [(0, 1, 2, .write("x/1")), (1, 3, 4, .absence(ofAccount: "x"))]
        ),
        History(
            "a sign-out, and the next sign-in of the same account",
            isPossible: true,
            [
                (0, 1, 2, .write("x/1@i")), (1, 3, 6, .absence(ofAccount: "x@i")), (2, 4, 4, .swap("x/1@i", nil)),
                (3, 5, 7, .write("x/2@i")),
            ]
        ),
        History(
            "a look at the current of two accounts",
            isPossible: true,
            [(0, 1, 2, .write("x/1 y/1")), (1, 3, 4, .current("x/1"))]
        ),
        History(
            "a look at an account that is not current",
            isPossible: false,
            [(0, 1, 2, .write("x/1 y/1")), (1, 3, 4, .current("y/1"))]
        ),
        History(
            "a copy of a user who was not there any more",
            isPossible: false,
            [(0, 1, 2, .write("x/1")), (1, 3, 4, .swap("x/1", nil)), (2, 5, 6, .presence(of: "x/1"))]
        ),
        History(
            "a copy of a user who was there when it began",
            isPossible: true,
            [(0, 1, 2, .write("x/1")), (1, 3, 6, .swap("x/1", nil)), (2, 4, 7, .presence(of: "x/1"))]
        ),
        History(
            "a refusal because of a tenant that is the user's",
            isPossible: false,
            [(0, 1, 2, .write("x/1.t")), (1, 3, 4, .mismatch(tenant: "t"))]
        ),
        History(
            "a write with an unknown outcome may have happened late, or never",
            isPossible: true,
            [(0, 1, nil, .write("a")), (1, 2, 3, .read(nil)), (1, 8, 9, .read("a"))]
        ),
        History(
            "but it cannot have been undone",
            isPossible: false,
            [(0, 1, nil, .write("a")), (1, 2, 3, .read("a")), (1, 8, 9, .read(nil))]
        ),
    ]

    @Test("The checker judges each history correctly", arguments: histories)
    func judges(_ history: History) {
        #expect(LinearizabilityChecker.contradictions(in: history.operations).isEmpty == history.isPossible)
    }

    @Test("One wrong result in a long history is found")
    func longHistory() {
        var operations: [HistoryOperation] = []
        var value = "start"
        operations.append(.init(process: 0, register: "r", action: .write(value), began: 0, ended: 1))
        for number in 1...2000 {
            let (began, next) = (UInt64(number * 10), "v\(number)")
            operations.append(
                .init(process: 0, register: "r", action: .swap(value, next), began: began, ended: began + 9)
            )
            for process in 1..<8 {
                let seen = process.isMultiple(of: 2) ? value : next
                operations.append(
                    .init(process: process, register: "r", action: .read(seen), began: began + 1, ended: began + 8)
                )
            }
            value = next
        }
        #expect(LinearizabilityChecker.contradictions(in: operations).isEmpty)
        operations[9001].action = .read("v3")
        let contradictions = LinearizabilityChecker.contradictions(in: operations)
        // The value before, and a read of the one that was not written.
        #expect(contradictions.map(\.history.count) == [2])
    }
}
