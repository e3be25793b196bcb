import FoundationEssentials
import SecretService
import TestSupport
import Testing

@testable import SharedAuth

/// Recovery of an `Auth` after failures and damage. The store is in memory and fails as the test says.
struct RecoveryTests {
    private let app = MemoryApp()

    // MARK: Switches

    @Test("A switch after a failed first load reads the app's own slot first and empties it")
    func switchAfterFailedLoad() async throws {
        try app.put("x", in: .own)
        app.store.fail(.read, times: 1)
        let auth = try app.start()
        guard case .unavailable = await auth.ready() else { Issue.record("\(auth.state)"); return }
        try auth.useUserAccessGroup(app.group)
        #expect(try app.revision(of: .own) == nil)
        try auth.useUserAccessGroup(nil)
        #expect(auth.currentUser == nil)
    }

    @Test("If the app's own slot still cannot be read, the switch fails and changes nothing")
    func switchAfterFailedLoadFails() async throws {
        try app.put("x", in: .own)
        app.store.fail(.read, times: 3)
        let auth = try app.start()
        _ = await auth.ready()
        expectFailure(.keychainError) { try auth.useUserAccessGroup(app.group) }
        #expect(auth.userAccessGroup == nil)
        #expect(try app.user(in: .own) == "x")
        try auth.useUserAccessGroup(nil)
        #expect(auth.currentUser?.uid == "x")
    }

    @Test("A group choice that could not be read is read again, never guessed")
    func choiceReadAgain() async throws {
        try app.put("x", in: .shared)
        try app.put("y", in: .own)
        // A file takes the directory's place.
        #expect(FileManager.default.createFile(atPath: app.directory, contents: nil))
        let auth = try app.start()
        guard case .unavailable(let error) = await auth.ready() else { Issue.record("\(auth.state)"); return }
        #expect(error.code == .stateDirectoryUnusable)
        #expect(auth.engine.rereadSlot() == true)
        #expect(auth.currentUser == nil)
        try FileManager.default.removeItem(atPath: app.directory)
        try app.choose(.shared)
        #expect(auth.engine.rereadSlot() == false)
        #expect(auth.shown == Shown("x", in: .shared))
    }

    @Test("A switch drops an unfinished migration, which moves or deletes no user later")
    func leftoverMigration() async throws {
        try app.put("x", in: .own)
        try app.put("x", in: .shared)
        try app.journal().change { $0.begin(.migration(of: "x", to: .shared)) }
        app.store.fail(.read, times: 1)
        let auth = try app.start()
        _ = await auth.ready()
        try auth.useUserAccessGroup(app.group)
        #expect(try app.journal().read().steps.allSatisfy { if case .migration = $0 { false } else { true } })
        #expect(try app.start().currentUser?.uid == "x")
        #expect(try app.user(in: .shared) == "x")
    }

    @Test("A switch is not reverted if its deletion is done but reports an error")
    func leftAllTheSame() async throws {
        let auth = try await app.start(signingIn: "x")
        try app.put("y", in: .shared)
        app.store.fail(.deletion, of: .own, times: 1, isDone: true)
        try auth.useUserAccessGroup(app.group)
        #expect(auth.shown == Shown("y", in: .shared))
        #expect(try app.revision(of: .own) == nil)
    }

    @Test("Joining a group keeps an own-slot user that another process signed in unnoticed")
    func somebodyElseLeft() async throws {
        let auth = try await app.start(signingIn: "x")
        try app.put("z", in: .own)
        try auth.useUserAccessGroup(app.group)
        #expect(try app.user(in: .own) == "z")
    }

    // MARK: Migrations

    @Test("A failed migration removes its copy despite newer tokens; the occupant returns")
    func takenBack() async throws {
        let auth = try await app.start(signingIn: "x")
        try app.put("z", in: .shared)
        // The copy is written, a peer refreshes the original, and then the original cannot be deleted.
        app.after(.update, of: .shared) { try app.put(app.account("x", "newer", lasting: 7200), in: .own) }
        app.store.fail(.deletion, of: .own, times: 1, isDone: false)
        await expectFailure(.keychainError) {
            try await auth.migrateCurrentUser(toAccessGroup: app.group, policy: .replace)
        }
        #expect(auth.shown == Shown("x", in: .own))
        #expect(try app.record(in: .own).currentAccount?.tokens.idToken == "x/id/newer")
        #expect(try app.user(in: .shared) == "z")
    }

    @Test("If a peer overwrites the copy before it is read back, the original stays in use")
    func overwrittenCopy() async throws {
        let auth = try await app.start(signingIn: "x")
        app.after(.update, of: .shared) { try app.change(.shared) { _ in UserRecord().signingIn(app.account("z")) } }
        await expectFailure(.accessGroupOccupied) { try await auth.migrateCurrentUser(toAccessGroup: app.group) }
        #expect(auth.userAccessGroup == nil)
        #expect(try app.user(in: .own) == "x")
        #expect(try app.user(in: .shared) == "z")
    }

    @Test("A migration does not sign in a user whom another process signs out meanwhile")
    func signedOutMeanwhile() async throws {
        let auth = try await app.start(signingIn: "x")
        app.after(.update, of: .shared) { try app.empty(.own) }
        await expectFailure(.conflict) { try await auth.migrateCurrentUser(toAccessGroup: app.group) }
        #expect(auth.userAccessGroup == nil)
        #expect(try app.revision(of: .shared) == nil)
    }

    @Test("An interrupted migration of a user who was signed out since is dropped")
    func cutOffAndSignedOut() async throws {
        try app.put("x", in: .shared)
        try app.journal().change { $0.begin(.migration(of: "x", to: .shared)) }
        let auth = try app.start()
        #expect(auth.shown == Shown(nil, in: .own))
        #expect(try app.journal().read() == GroupChoice())
    }

    @Test(
        "A sign-out also ends a copy whose migration died, but no other session there",
        arguments: [true, false]
    )
    func cutOffCopy(isCopy: Bool) throws {
        let auth = try app.start(with: "x")
        // Another process of the app has died after it had copied the user.
        try app.journal().change { $0.begin(.migration(of: app.account("x").id, from: .own, to: .shared)) }
        try app.put(isCopy ? app.record(in: .own).accounts[0] : app.account("x", "own"), in: .shared)
        try auth.signOut()
        #expect(try app.users(in: .own).isEmpty)
        #expect(try app.users(in: .shared) == (isCopy ? [] : ["x"]))
        #expect(try app.journal().read() == GroupChoice())
    }

    @Test("A deletion that is done but reports an error does not remove the only copy")
    func deletedAllTheSame() async throws {
        let auth = try await app.start(signingIn: "x")
        let user = auth.currentUser
        app.store.fail(.deletion, of: .own, times: 1, isDone: true)
        try await auth.migrateCurrentUser(toAccessGroup: app.group)
        #expect(auth.currentUser === user)
        #expect(auth.userAccessGroup == app.group)
        #expect(try app.revision(of: .own) == nil)
        #expect(try app.user(in: .shared) == "x")
    }

    @Test(
        "With an unknown deletion outcome, switch and migration succeed and finish later",
        arguments: [false, true],
        [false, true]
    )
    func deletionUnknown(migrates: Bool, isDone: Bool) async throws {
        let auth = try await app.start(signingIn: "x")
        // The outcome cannot be read either.
        app.before(.deletion, of: .own) { app.store.fail(.read, times: 1) }
        app.store.fail(.deletion, of: .own, times: 1, isDone: isDone)
        try await join(auth, migrates: migrates)
        let shown = Shown(migrates ? "x" : nil, in: .shared)
        #expect(auth.shown == shown)
        #expect(try app.user(in: .own) == (isDone ? nil : "x"))
        // The next start finishes it.
        let next = try app.start()
        #expect(next.shown == shown)
        next.waitUntilIdle()
        #expect(try app.revision(of: .own) == nil)
        #expect(try app.journal().read().steps.isEmpty)
    }

    @Test(
        "Switch and migration revert if the user left behind is certainly still stored",
        arguments: [false, true]
    )
    func deletionNotDone(migrates: Bool) async throws {
        let auth = try await app.start(signingIn: "x")
        app.store.fail(.deletion, of: .own, times: 1, isDone: false)
        await expectFailure(.keychainError) { try await join(auth, migrates: migrates) }
        #expect(auth.shown == Shown("x", in: .own))
        #expect(try app.revision(of: .shared) == nil)
        #expect(try app.journal().read() == GroupChoice())
    }

    @Test("Undoing a failed switch takes one more time limit, and no third")
    func undoneInTime() async throws {
        let auth = try await app.start(signingIn: "x")
        app.store.fail(.deletion, of: .own, times: 1, isDone: false)
        _ = app.store.takeDeadlines()
        await expectFailure(.keychainError) { try await join(auth, migrates: false) }
        // The call's limit, the same without the time to read after an unknown outcome, and the limit for undoing.
        #expect(app.store.takeDeadlines().count == 3)
        #expect(auth.shown == Shown("x", in: .own))
    }

    private func join(_ auth: Auth, migrates: Bool) async throws {
        if migrates {
            try await auth.migrateCurrentUser(toAccessGroup: app.group)
        } else {
            try await auth.useUserAccessGroup(app.group, timeout: .patience)
        }
    }

    // MARK: Damage

    @Test("A pending deletion in a slot damaged since blocks nothing and is dropped")
    func pendingInDamage() async throws {
        try app.journal().change { choice in
            choice.slot = .shared
            choice.begin(.deletion(of: .own, revision: Revision(counter: 1, nonce: 1)))
        }
        app.store.base.put(.damaged("it is nonsense"), under: .own)
        try app.put("x", in: .shared)
        let auth = try app.start()
        #expect(auth.currentUser?.uid == "x")
        try auth.useUserAccessGroup(app.otherGroup)
        try auth.useUserAccessGroup(app.group)
        auth.waitUntilIdle()
        #expect(try app.journal().read().steps.isEmpty)
        guard case .damaged = try app.store.base.read(.own, by: .patient) else {
            Issue.record("the damage is gone")
            return
        }
    }

    @Test("A pending deletion does not delete a newer record")
    func pendingOverNewer() async throws {
        try app.journal().change { choice in
            choice.slot = .shared
            choice.begin(.deletion(of: .own, revision: Revision(counter: 1, nonce: 1)))
        }
        try app.put("z", in: .own)
        _ = try await app.start().ready()
        #expect(try app.user(in: .own) == "z")
        #expect(try app.journal().read().steps.isEmpty)
    }

    @Test("An app whose own slot is damaged can be deleted; its Auth then reports that")
    func deleted() async throws {
        app.store.base.put(.damaged("it is nonsense"), under: .own)
        let process = try AuthApp(unregistered: app.options)
        let auth = process.auth
        _ = await auth.ready()
        try await process.delete()
        expectFailure(.appDeleted) { try auth.useUserAccessGroup(app.group) }
        await expectFailure(.appDeleted) { try await app.signIn("x", in: auth) }
        guard case .unavailable(let error) = auth.state else { Issue.record("\(auth.state)"); return }
        #expect(error.code == .appDeleted)
        #expect(auth.currentUser == nil)
    }

    @Test("A listener added to the Auth of a deleted app does not receive its former user")
    func listenerAfterDeletion() async throws {
        let process = try AuthApp(unregistered: app.options)
        let auth = process.auth
        try await app.signIn("x", in: auth)
        try await process.delete()
        let uids = Recorder<String?>()
        _ = auth.addStateDidChangeListener { _, user in uids.record(user?.uid) }
        auth.waitForAnnouncements()
        #expect(uids.events.isEmpty)
    }

    // MARK: Bounds

    @Test("A record may not grow beyond its limit; a larger one is read and signed out")
    func tooLarge() async throws {
        let auth = try await app.start(signingIn: "w")
        var account = app.account("x")
        account.profile.displayName = String(repeating: "n", count: 64 * 1024)
        app.identity.expect(IdentityGrant(profile: account.profile, tokens: account.tokens, isNewUser: true))
        await expectFailure(.storeFull) {
            _ = try await auth.signIn(withEmail: "person@example.com", password: "password")
        }
        #expect(auth.currentUser?.uid == "w")
        #expect(auth.saveFailure?.code == .storeFull)
        let payload = try UserRecord().signingIn(account).encoded()
        _ = try app.store.base.update(.own, by: .patient) { _ in .write(payload) }
        #expect(auth.engine.rereadSlot() == false)
        #expect(auth.currentUser?.uid == "x")
        #expect(auth.saveFailure == nil)
        try auth.signOut()
        #expect(try app.revision(of: .own) == nil)
    }

    @Test("An app with an in-memory store writes no state file")
    func noFile() throws {
        let options = AuthApp.Options(appID: "com.example.Memory", store: .inMemory())
        let auth = Auth.auth(app: try AuthApp(unregistered: options))
        #expect(auth.engine.journal.path == nil)
        try auth.useUserAccessGroup(app.group)
        #expect(auth.userAccessGroup == app.group)
        #expect(try auth.engine.journal.read().slot == .shared)
    }
}
