import Foundation
import TestSupport
import Testing

@testable import SharedAuth

/// The accounts of a slot after those of another slot were merged into it.
struct AccountMergeTests {
    private func account(_ uid: String, issued: Double = 1) -> Account {
        Account(
            profile: UserProfile(uid: uid),
            tokens: UserTokens(
                idToken: "\(uid)/\(issued)",
                refreshToken: "\(uid)/\(issued)",
                expirationDate: Date(timeIntervalSince1970: 10_000),
                issueDate: Date(timeIntervalSince1970: issued)
            ),
            project: "p",
            issuer: "app"
        )
    }

    private func record(_ accounts: Account..., current uid: String?) -> UserRecord {
        accounts.reduce(UserRecord()) { $0.signingIn($1, keepingOthers: true) }
            .selecting(accounts.first { $0.uid == uid }?.id)
    }

    private func merge(
        _ leaving: UserRecord,
        into present: UserRecord,
        _ policy: MigrationPolicy = .fail
    ) throws -> AccountMerge {
        try AccountMerge(leaving, into: present, ifOccupied: policy, in: .group("group.example.a"))
    }

    @Test("All accounts move, and the current one stays current if the target has none")
    func all() throws {
        let leaving = record(account("x"), account("y"), current: "x")
        #expect(try merge(leaving, into: UserRecord()).record.current?.uid == "x")
        #expect(try merge(leaving, into: UserRecord()).record.accounts.map(\.uid) == ["x", "y"])
        #expect(try merge(leaving, into: record(account("x"), current: "x")).record.accounts.count == 2)
        #expect(try merge(leaving, into: record(account("z"), current: nil)).record.current?.uid == "x")
    }

    @Test("Accounts without a current one join any occupant")
    func notCurrent() throws {
        let merged = try merge(record(account("x"), current: nil), into: record(account("z"), current: "z"))
        #expect(merged.record.current?.uid == "z")
        #expect(merged.record.accounts.contains { $0.uid == "x" })
        #expect(merged.removed == nil)
    }

    @Test("Two accounts of one uid and no issuer merge only if they have a token in common")
    func unnamed() throws {
        var (one, other) = (account("x", issued: 1), account("x", issued: 2))
        (one.issuer, other.issuer) = (nil, nil)
        #expect(try merge(record(one, current: "x"), into: record(one, current: "x")).record.accounts == [one])
        other.tokens = .scripted("x", "another")
        for policy in MigrationPolicy.allCases where policy != .replace {
            #expect(throws: AuthError.self) {
                try merge(record(one, current: "x"), into: record(other, current: "x"), policy)
            }
        }
    }

    @Test("A user who is replaced stays as a second account if others are kept", arguments: [false, true])
    func replaced(keepingOthers: Bool) throws {
        let merge = try AccountMerge(
            record(account("x"), current: "x"),
            into: record(account("z"), current: "z"),
            ifOccupied: .replace,
            keepingOthers: keepingOthers,
            in: .own
        )
        #expect(merge.record.current?.uid == "x")
        #expect(merge.record.accounts.map(\.uid) == (keepingOthers ? ["z", "x"] : ["x"]))
        #expect(merge.removed?.uid == (keepingOthers ? nil : "z"))
    }

    @Test("The newer tokens of two copies stay, and the originals of both are listed")
    func newer() throws {
        let original = CopiedFrom(scope: "app:a", revision: Revision(counter: 1, nonce: 1))
        var old = account("x", issued: 1)
        old.remainingOriginals = [original]
        let new = account("x", issued: 2)
        for (leaving, present) in [(old, new), (new, old)] {
            let merged = try merge(record(leaving, current: "x"), into: record(present, current: "x")).record
            #expect(merged.currentAccount?.tokens == new.tokens)
            #expect(merged.currentAccount?.remainingOriginals == [original])
        }
    }

    @Test("Of two names of a slot, the one of the later copy stays")
    func namedTwice() throws {
        let names = (1...3).map { number in
            CopiedFrom(scope: number == 3 ? "app:b" : "app:a", revision: Revision(counter: UInt64(number), nonce: 1))
        }
        var (there, coming) = (account("x"), account("x", issued: 2))
        (there.remainingOriginals, coming.remainingOriginals) = ([names[0], names[2]], [names[1]])
        let merged = try merge(record(coming, current: "x"), into: record(there, current: "x")).record
        #expect(Set(merged.accounts.flatMap(\.remainingOriginals)) == [names[1], names[2]])
        let signedIn = record(there, current: "x").signingIn(coming)
        #expect(Set(signedIn.accounts.flatMap(\.remainingOriginals)) == [names[1], names[2]])
    }

    @Test("Merging again changes nothing", arguments: MigrationPolicy.allCases)
    func idempotent(_ policy: MigrationPolicy) throws {
        let leaving = record(account("x"), current: "x")
        let once = try merge(leaving, into: record(account("x", issued: 2), current: "x"), policy).record
        let twice = try merge(leaving, into: once, policy)
        #expect(twice.record == once)
        #expect(twice.removed == nil)
    }
}
