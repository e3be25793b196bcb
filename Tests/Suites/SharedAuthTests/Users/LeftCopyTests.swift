import Foundation
import SecretService
import TestSupport
import Testing

@testable import SharedAuth

/// Sign-outs of sessions of which a migration has left copies in other slots.
struct LeftCopyTests {
    typealias App = MemoryApp<InMemoryRecordStore>

    let app = App()
    let other = "com.example.Notes"

    // MARK: Parts

    /// Returns an account with the first tokens of a sign-in.
    static func session<Base>(_ uid: String, _ token: String = "1", of app: MemoryApp<Base>) -> Account {
        var account = app.account(uid, token)
        account.tokens = account.tokens.beginningLineage()
        return account
    }

    /// Refreshes a user's tokens in a slot, as another process does.
    static func refresh(_ uid: String, _ token: String = "2", in slot: Slot, of app: App) throws {
        try app.change(slot) { record in
            record.mapAccounts { account in
                guard account.uid == uid else { return account }
                var account = account
                account.tokens = UserTokens.scripted(uid, token, lasting: 7200).succeeding(account.tokens)
                return account
            }
        }
    }

    private func session(_ uid: String) -> Account { Self.session(uid, of: app) }

    /// Moves the app's user out of a group that another app cannot leave, because its choice is damaged.
    private func moveFromOther(_ account: Account) throws {
        try app.put(account, in: .elsewhere)
        for id in [app.id, other] { try app.journal(of: id).change { $0.slot = .elsewhere } }
        try Data("damage".utf8).write(to: URL(filePath: #require(app.journal(of: other).path)))
        #expect(try run() == [.moved, .failed])
    }

    private func run() throws -> [UserMigration.Outcome.Kind] {
        let migration = try app.migration(from: .elsewhere)
        return try migration.plan(for: .all).flatMap { migration.perform($0) }.map(\.kind)
    }

    /// Lets another run of the tool read the other app's choice.
    private func mendChoice() throws {
        try FileManager.default.removeItem(atPath: #require(app.journal(of: other).path))
        try app.journal(of: other).change { $0.slot = .elsewhere }
    }

    // MARK: In the slot that the users have left

    @Test("A sign-out ends the session in the group that was left, though refreshed there")
    func refreshed() throws {
        try moveFromOther(session("x"))
        try Self.refresh("x", in: .elsewhere, of: app)
        try app.start().signOut()
        #expect(try app.record(in: .elsewhere).isEmpty && app.record(in: .shared).isEmpty)
        try mendChoice()
        _ = try run()
        #expect(try app.users(in: .shared).isEmpty)
    }

    @Test("A sign-out ends an earlier session of the user in the group that was left")
    func signedInAgain() throws {
        try moveFromOther(session("x"))
        try app.put(session("x"), in: .shared)
        try Self.refresh("x", in: .elsewhere, of: app)
        try app.start().signOut()
        #expect(try app.record(in: .elsewhere).isEmpty && app.record(in: .shared).isEmpty)
    }

    @Test("A session that began anew in the group that was left stays")
    func anew() throws {
        try moveFromOther(session("x"))
        try app.put(session("x"), in: .elsewhere)
        try app.start().signOut()
        #expect(try app.users(in: .elsewhere) == ["x"])
        #expect(try app.record(in: .shared).isEmpty)
    }

    @Test("A sign-out ends the session of one of two users in a refreshed record")
    func ofTwo() throws {
        try app.put(session("y"), in: .elsewhere)
        try moveFromOther(session("x"))
        try app.put(session("y"), in: .elsewhere, besides: true)
        try Self.refresh("x", in: .elsewhere, of: app)
        try app.start().signOut()
        #expect(try app.users(in: .elsewhere) == ["y"])
    }

    @Test("A session whose original could not be deleted does not return, though refreshed")
    func undeletable() throws {
        try moveFromOther(session("x"))
        app.store.fail(.update, of: .elsewhere)
        try app.start().signOut()
        app.store.mend()
        #expect(try app.users(in: .elsewhere) == ["x"])
        try Self.refresh("x", in: .elsewhere, of: app)
        try mendChoice()
        #expect(try run() == [.conflict])
        #expect(try app.users(in: .shared).isEmpty)
        #expect(try app.start().currentUser == nil)
        #expect(try app.record(in: .elsewhere).isEmpty && app.record(in: .shared).isEmpty)
    }

    // MARK: In the slot to which the users have moved

    /// How the copy differs from the original that signs out.
    enum Difference: CaseIterable {
        case none, refreshed, refreshedWithoutSignIn
    }

    @Test("A sign-out by a process that has not followed yet ends the session", arguments: Difference.allCases)
    func notFollowed(_ difference: Difference) throws {
        // The original stays in a store that may forget.
        let app = App(on: FaultInjectingStore(InMemoryRecordStore(), isDurable: false))
        try app.put(difference == .refreshed ? Self.session("x", of: app) : app.account("x"), in: .own)
        let auth = try app.start()
        #expect(auth.shown == Shown("x", in: .own))
        #expect(try app.perform(app.migration()).map(\.kind) == [.moved])
        #expect(try app.users(in: .own) == ["x"] && app.users(in: .shared) == ["x"])
        if difference != .none { try Self.refresh("x", in: .shared, of: app) }
        try auth.signOut()
        #expect(auth.currentUser == nil)
        #expect(try app.record(in: .own).isEmpty && app.record(in: .shared).isEmpty)
        _ = auth.engine.rereadSlot()
        #expect(auth.currentUser == nil)
        #expect(try app.start().currentUser == nil)
    }

    @Test("A sign-out before following ends the session in a group that others still use")
    func notFollowedFromGroup() throws {
        try app.put(session("x"), in: .elsewhere)
        try app.choose(.elsewhere)
        let auth = try app.start()
        #expect(auth.shown == Shown("x", in: .elsewhere))
        try moveFromOther(session("x"))
        try auth.signOut()
        _ = auth.engine.rereadSlot()
        #expect(auth.currentUser == nil)
        #expect(try app.record(in: .elsewhere).isEmpty && app.record(in: .shared).isEmpty)
    }

    @Test("A session that began anew in the slot to which the users moved stays", arguments: [false, true])
    func anewAtTarget(overCopy: Bool) throws {
        let app = App(on: FaultInjectingStore(InMemoryRecordStore(), isDurable: false))
        try app.put(Self.session("x", of: app), in: .own)
        let auth = try app.start()
        #expect(auth.shown == Shown("x", in: .own))
        #expect(try app.perform(app.migration()).map(\.kind) == [.moved])
        if !overCopy { try app.empty(.shared) }
        try app.put(Self.session("x", of: app), in: .shared)
        try auth.signOut()
        #expect(try app.record(in: .own).isEmpty)
        #expect(try app.users(in: .shared) == ["x"])
    }

    @Test("A refused refresh ends no copy of the session that was refreshed")
    func refused() async throws {
        let app = App(on: FaultInjectingStore(InMemoryRecordStore(), isDurable: false))
        let account = Self.session("x", of: app)
        try app.put(account, in: .own)
        let auth = try app.start()
        let user = try #require(auth.currentUser)
        #expect(try app.perform(app.migration()).map(\.kind) == [.moved])
        try Self.refresh("x", in: .shared, of: app)
        await auth.engine.signOut(user, of: .own, ifItHas: account.tokens)
        #expect(try app.record(in: .own).isEmpty)
        #expect(try app.users(in: .shared) == ["x"])
    }

    // MARK: Names of originals

    @Test("After a move of all apps, the copy names no original")
    func whole() throws {
        try app.put(session("x"), in: .elsewhere)
        for id in [app.id, other] { try app.journal(of: id).change { $0.slot = .elsewhere } }
        #expect(try run() == [.moved, .moved])
        #expect(try app.record(in: .shared).accounts.map(\.remainingOriginals) == [[]])
    }

    @Test("Once another run has moved the last app, the copy names no original")
    func wholeLater() throws {
        try moveFromOther(session("x"))
        #expect(try app.record(in: .shared).accounts.map(\.remainingOriginals.count) == [1])
        try mendChoice()
        #expect(try run() == [.alreadyThere, .moved])
        #expect(try app.record(in: .shared).accounts.map(\.remainingOriginals) == [[]])
    }

    @Test("A name of the slot to which a user moves is dropped")
    func ofTarget() throws {
        var account = app.account("x")
        account.remainingOriginals = [try app.slots.copiedFrom(.shared, at: Revision(counter: 1, nonce: 1))]
        try app.put(account, in: .own)
        try app.migrate()
        #expect(try app.record(in: .shared).accounts.map(\.remainingOriginals) == [[]])
    }

    @Test("However often a user is copied, the copy names the last original alone")
    func copiedAgain() throws {
        let app = App(on: FaultInjectingStore(InMemoryRecordStore(), isDurable: false))
        try app.put(Self.session("x", of: app), in: .own)
        for run in 2...4 {
            _ = try app.perform(app.migration())
            let names = try app.record(in: .shared).accounts.flatMap(\.remainingOriginals)
            #expect(names.map(\.revision) == [try app.revision(of: .own)])
            try Self.refresh("x", "\(run)", in: .own, of: app)
        }
    }

    @Test(
        "An unreadable record in place of the original keeps no sign-out from its end",
        arguments: ["damage", #"{"version":99,"accounts":[]}"#]
    )
    func unreadable(_ payload: String) throws {
        try moveFromOther(session("x"))
        try app.store.base.update(.elsewhere, by: .patient) { _ in .write(Array(payload.utf8)) }
        try app.start().signOut()
        #expect(try app.record(in: .shared).isEmpty)
    }

    @Test("The session is revoked though a record that was its original does not respond")
    func revoked() async throws {
        let server = ScriptedServer()
        var account = app.account("x", issuer: server.issuer)
        account.remainingOriginals = [try app.slots.copiedFrom(.elsewhere, at: Revision(counter: 1, nonce: 1))]
        try app.put(account, in: .own)
        let auth = try app.start { $0.identityProvider = server.source }
        app.store.fail(.update, of: .elsewhere)
        try await auth.signOut(timeout: .hang)
        #expect(server.calls == ["revoke x/refresh/1"])
    }
}
