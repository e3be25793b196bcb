import TestSupport
import Testing

@testable import SharedAuth

/// Moves on a store that acknowledges a write before it is durable, and that cannot list its records.
struct ForgetfulStoreTests {
    private let app = MemoryApp(on: FaultInjectingStore(PlainStore(), isDurable: false), issuer: nil)

    private func migrate() throws -> [UserMigration.Outcome.Kind] { try app.perform(app.migration()).map(\.kind) }

    @Test("The original stays, recorded in the copy, until a later start reads the copy")
    func original() throws {
        try app.put("x", in: .own)
        let original = try #require(try app.revision(of: .own))
        #expect(try migrate() == [.moved])
        #expect(try app.revision(of: .own) == original)
        let copy = try app.record(in: .shared).currentAccount
        #expect(copy?.remainingOriginals == [try app.slots.copiedFrom(.own, at: original).noted(asLeft: true)])
        #expect(try migrate() == [.alreadyThere])

        #expect(try app.start().shown == Shown("x", in: .shared))
        #expect(try app.revision(of: .own) == nil)
        #expect(try migrate() == [.alreadyThere])
    }

    @Test("Each of several accounts from one original removes its own when it signs out", arguments: [true, false])
    func severalAccounts(isTogether: Bool) async throws {
        try app.put("x", "y", in: .own)
        #expect(try migrate() == [.moved])
        let calendar = try app.start {
            $0.appID = "com.example.Calendar"
            $0.accessGroups = [app.group]
        }
        try calendar.useUserAccessGroup(app.group)
        if isTogether {
            try await calendar.signOutAll()
        } else {
            try await calendar.signOut(uid: "x")
            #expect(try app.users(in: .own) == ["y"])
            try await calendar.signOut(uid: "y")
        }
        #expect(try app.revision(of: .own) == nil)
        #expect(try app.revision(of: .shared) == nil)
    }

    @Test("A store that cannot list its records moves named apps, but cannot find all")
    func unlisted() throws {
        let migration = try app.migration()
        expectFailure(AuthErrorCode.keychainError) { try migration.plan(for: .all) }
        #expect(try migrate() == [.nothing])
    }
}
