import SecretService
import TestSupport
import Testing

@testable import SharedAuth

/// Changes while another process acts between the read of the slot and the write. The store is in memory and acts as
/// the test says.
struct TransactionTests {
    private let app = MemoryApp()

    /// Moves the user when the next change of the app's own slot has begun but nothing of it has been read.
    private func migrateMeanwhile() { app.before(.update, of: .own) { try app.migrate() } }

    // MARK: Slots

    enum SigningOut: CaseIterable { case current, uid, user, all }

    @Test("A sign-out reaches a user who is moved meanwhile", arguments: SigningOut.allCases)
    func signOutFollows(_ form: SigningOut) throws {
        let auth = try app.start(with: "x")
        let user = try #require(auth.currentUser)
        migrateMeanwhile()
        switch form {
        case .current: try auth.signOut()
        case .uid: try auth.signOut(uid: "x")
        case .user: try auth.signOut(user)
        case .all: try auth.signOutAll()
        }
        #expect(auth.currentUser == nil)
        #expect(try app.users(in: .own).isEmpty && app.users(in: .shared).isEmpty)
        #expect(try app.start().currentUser == nil)
    }

    @Test("A sign-in during a move writes to the slot that the app has chosen by then")
    func signInFollows() async throws {
        let auth = try app.start(with: "x")
        migrateMeanwhile()
        try await app.signIn("y", in: auth)
        #expect(auth.shown == Shown("y", in: .shared))
        #expect(try app.users(in: .own).isEmpty)
        #expect(try app.start().currentUser?.uid == "y")
    }

    @Test("updateCurrentUser during a move writes to the slot the app has chosen by then")
    func updateFollows() async throws {
        let auth = try app.start(with: "x")
        migrateMeanwhile()
        let user = User(app.account("y"), auth: auth, slot: nil)
        try await auth.updateCurrentUser(user)
        #expect(auth.currentUser === user && auth.userAccessGroup == app.group)
        #expect(try app.users(in: .own).isEmpty)
        #expect(try app.start().currentUser?.uid == "y")
    }

    @Test("A user who is moved and moved back meanwhile is changed in the current slot")
    func movedBack() throws {
        let auth = try app.start(with: "x")
        app.before(.update, of: .own) {
            try app.migrate()
            try app.migrate(from: .shared, to: .own)
        }
        try auth.signOut()
        #expect(try app.users(in: .own).isEmpty && app.users(in: .shared).isEmpty)
    }

    @Test("An app that starts while its user is moved finds the user")
    func startDuringMove() throws {
        try app.put("x", in: .own)
        app.before(.read, of: .own) { try app.migrate() }
        let auth = try app.start()
        #expect(auth.shown == Shown("x", in: .shared))
    }

    @Test("A signed-out app follows a migration from its slot")
    func migrationByAnother() throws {
        let auth = try app.start()
        #expect(auth.currentUser == nil)
        try app.put("x", in: .own)
        try app.migrate()
        _ = auth.engine.rereadSlot()
        #expect(auth.shown == Shown("x", in: .shared))
    }

    @Test("A signed-out app's sign-out changes nothing, though users were migrated from its slot")
    func signOutOfNobody() throws {
        let auth = try app.start()
        #expect(auth.currentUser == nil)
        try app.put("x", in: .own)
        try app.migrate()
        try auth.signOut()
        try auth.signOutAll()
        #expect(try app.user(in: .shared) == "x")
    }

    @Test("A change by an earlier version is followed only to the current user", arguments: [true, false])
    func earlierVersion(isMigration: Bool) throws {
        try app.put("y", in: .shared)
        let auth = try app.start(with: "x")
        try app.journal().change { $0 = GroupChoice(slot: .shared, moves: nil) }
        if isMigration { try app.put("x", in: .shared) }
        try app.empty(.own)
        _ = auth.engine.rereadSlot()
        #expect(auth.shown == (isMigration ? Shown("x", in: .shared) : Shown(nil, in: .own)))
        if !isMigration { try auth.signOut() }
        #expect(try app.user(in: .shared) == (isMigration ? "x" : "y"))
    }

    @Test("An app stays in its slot when another process switches by hand", arguments: [true, false])
    func switchByAnother(isSignedIn: Bool) throws {
        if isSignedIn { try app.put("x", in: .elsewhere) }
        try app.put("y", in: .shared)
        try app.choose(.elsewhere)
        let auth = try app.start()
        try app.start().useUserAccessGroup(app.group)
        _ = auth.engine.rereadSlot()
        #expect(auth.shown == Shown(isSignedIn ? "x" : nil, in: .elsewhere))
        try auth.signOut()
        try auth.signOut()
        #expect(auth.userAccessGroup == app.otherGroup)
        #expect(try app.user(in: .shared) == "y")
    }

    @Test("An undeclared group is no longer a failure once the users leave it")
    func undeclaredAndBack() throws {
        try app.put("x", in: .own)
        let auth = try app.start { $0.accessGroups = [app.otherGroup] }
        #expect(auth.currentUser?.uid == "x")
        try app.migrate()
        _ = auth.engine.rereadSlot()
        #expect(auth.currentUser == nil)
        try app.migrate(from: .shared, to: .own)
        _ = auth.engine.rereadSlot()
        #expect(auth.shown == Shown("x", in: .own))
    }

    // MARK: Accounts

    enum Act: CaseIterable { case refresh, reload, delete, signOut }

    @Test(
        "Another issuer's session of the same uid is left alone, even if not yet noticed",
        arguments: Act.allCases
    )
    func otherIssuer(_ act: Act) async throws {
        try app.put(app.account("x", "a"), in: .own)
        let auth = try app.start()
        let user = try #require(auth.currentUser)
        let others = app.account("x", "b", issuer: "https://other.example")
        try app.put(others, in: .own)
        switch act {
        // The user's own session may be refreshed, because no slot holds it any longer.
        case .refresh: _ = try? await user.getIDToken(forcingRefresh: true)
        case .reload: try? await user.reload()
        case .delete: try? await user.delete()
        case .signOut: try auth.signOut()
        }
        #expect(user.refreshToken != others.tokens.refreshToken)
        let stored = try app.record(in: .own)
        #expect(stored.accounts.map(\.id) == [others.id] && stored.current == others.id)
        #expect(stored.currentAccount?.tokens.refreshToken == others.tokens.refreshToken)
    }

    @Test(
        "A user is not moved over another issuer's user with the same uid",
        arguments: [MigrationPolicy.fail, .join]
    )
    func otherIssuerAtTarget(_ policy: MigrationPolicy) throws {
        let others = app.account("x", "b", issuer: "https://other.example")
        try app.put(app.account("x", "a"), in: .own)
        try app.put(others, in: .shared)
        let auth = try app.start()
        let migrate = { try auth.migrateCurrentUser(toAccessGroup: app.group, policy: policy) }
        if policy == .join { try migrate() } else { expectFailure(.accessGroupOccupied) { try migrate() } }
        #expect(try app.record(in: .shared).accounts.map(\.id) == [others.id])
        #expect(try app.record(in: .own).currentAccount?.tokens.refreshToken == "x/refresh/a")
    }

    @Test("A bare uid of two users means this app's; else the error lists both issuers")
    func ambiguousUID() throws {
        let (one, two) = (app.account("x", "a", issuer: "one"), app.account("x", "b", issuer: "two"))
        let rows: [(issuer: String, rest: [Account])] = [("one", [two]), ("three", [one, two])]
        for (issuer, rest) in rows {
            try app.put(one, in: .own)
            try app.put(two, in: .own, besides: true)
            let auth = try app.start { $0.identityProvider = ScriptedIdentity(issuer: issuer).source }
            var message = ""
            do throws(AuthError) { try auth.signOut(uid: "x") } catch { message = error.message }
            #expect(try app.record(in: .own).accounts == rest)
            #expect((message.contains("one") && message.contains("two")) == (issuer == "three"))
            try auth.signOutAll()
        }
    }

    @Test("Two users with one uid stay distinct when they are read again")
    func bothAreRead() throws {
        let (one, two) = (app.account("x", "a", issuer: "one"), app.account("x", "b", issuer: "two"))
        let both = UserRecord().signingIn(two).signingIn(one, keepingOthers: true)
        for current in [one, two] {
            let selected = both.selecting(current.id)
            let read = try UserRecord(decoding: selected.encoded())
            #expect(read == selected && read.currentAccount == current)
        }
        // If no other user has the uid, the record names the current one by uid alone, as earlier versions do.
        let single = String(decoding: try UserRecord().signingIn(one).encoded(), as: UTF8.self)
        #expect(!single.contains("currentIssuer"))
    }

    @Test("The current user stays the same object while a move cannot be followed")
    func sameObject() throws {
        let auth = try app.start(with: "x")
        let user = try #require(auth.currentUser)
        try app.migrate()
        app.store.fail(.read, of: .shared, times: 1)
        _ = auth.engine.rereadSlot()
        _ = auth.engine.rereadSlot()
        #expect(auth.currentUser === user && auth.userAccessGroup == app.group)
        #expect(user.slot == .shared)
    }

    @Test("A user who was read before a move is refreshed in the slot with the session")
    func heldUserFollows() async throws {
        let auth = try app.start(with: "x")
        let held = try #require(try auth.getStoredUser(forAccessGroup: nil))
        try app.migrate()
        let token = try await held.getIDToken(forcingRefresh: true)
        #expect(try app.record(in: .shared).currentAccount?.tokens.idToken == token)
    }

    @Test("A user whose session is in another slot is not refreshed from the old slot")
    func heldElsewhere() async throws {
        try app.put("x", in: .shared)
        let auth = try app.start()
        let held = try #require(try auth.getStoredUser(forAccessGroup: app.group))
        try app.put("x", in: .elsewhere)
        try app.empty(.shared)
        let refreshes = app.identity.refreshes
        await expectFailure(.operationNotAllowed) { _ = try await held.getIDToken(forcingRefresh: true) }
        #expect(app.identity.refreshes == refreshes)
        #expect(try app.record(in: .elsewhere).currentAccount?.tokens.refreshToken == "x/refresh/1")
    }

    // MARK: Known state

    @Test("An anonymous sign-in after a failed first load keeps the stored anonymous user")
    func anonymousAfterFailedLoad() async throws {
        var anonymous = app.account("n")
        anonymous.profile.isAnonymous = true
        try app.put(anonymous, in: .own)
        app.store.fail(.read, times: 1)
        let auth = try app.start()
        app.identity.expect(.scripted("other", anonymous: true))
        #expect(try await auth.signInAnonymously().user.uid == "n")
        #expect(try app.record(in: .own).accounts.map(\.id) == [anonymous.id])
    }

    @Test("A caller waits no longer than its own deadline, and the first load continues")
    func shortCall() throws {
        try app.put("x", in: .own)
        let letGo = app.store.hold(.read)
        let auth = try app.launch()
        expectFailure(.timedOut) { try auth.engine.withOperation(by: .after(.milliseconds(50))) { _ in } }
        letGo()
        #expect(auth.currentUser?.uid == "x")
    }

    @Test("A sign-out removes the user who is shown and keeps another who is current")
    func shownIsNotCurrent() throws {
        let auth = try app.start(with: "x")
        try app.put("y", in: .own, besides: true)
        try auth.signOut()
        #expect(auth.currentUser?.uid == "y")
        #expect(try app.users(in: .own) == ["y"])
    }

    @Test("A sign-out of a user who was never saved shows no older user")
    func neverSaved() async throws {
        let auth = try app.start(with: "x")
        app.store.fail(.update, times: 1)
        try? await auth.updateCurrentUser(User(app.account("y"), auth: auth, slot: nil))
        #expect(auth.currentUser?.uid == "y")
        try auth.signOut()
        #expect(auth.currentUser == nil)
        #expect(try app.users(in: .own).isEmpty)
    }

    // MARK: Pending steps

    @Test("A pending deletion is not carried out on a slot that is chosen again meanwhile")
    func deletionOfSlotInUse() throws {
        try app.put("x", in: .own)
        try app.choose(.shared)
        let revision = try #require(try app.revision(of: .own))
        try app.journal().change { $0.begin(.deletion(of: .own, revision: revision)) }
        app.before(.update, of: .own) { try app.choose(.own) }
        let auth = try app.start()
        _ = auth.currentUser
        #expect(try app.users(in: .own) == ["x"])
    }

    @Test("An empty copy left by a daemon that died is overwritten")
    func emptyCopy() throws {
        let auth = try app.start(with: "x")
        app.store.base.put(.empty, under: .shared)
        try auth.migrateCurrentUser(toAccessGroup: app.group)
        #expect(try app.users(in: .shared) == ["x"])
    }

    @Test("Two moves of one user to two groups end in one of the groups")
    func twoMoves() throws {
        let auth = try app.start(with: "x")
        app.after(.update, of: .elsewhere) { try app.migrate() }
        expectFailure(.conflict) { try auth.migrateCurrentUser(toAccessGroup: app.otherGroup) }
        #expect(try app.users(in: .elsewhere).isEmpty)
        #expect(try app.users(in: .shared) == ["x"])
        #expect(try app.start().currentUser?.uid == "x")
    }
}
