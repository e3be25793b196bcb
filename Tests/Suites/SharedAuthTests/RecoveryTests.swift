import Dispatch
import FoundationEssentials
import SecretService
import TestSupport
import Testing

@testable import SharedAuth

/// Recovery of an `Auth` after failures and damage. The store is in memory and fails as the test says.
struct RecoveryTests {
    static let group = "group.example.recovery"

    private let store = FaultInjectingStore()
    private let directory = TestDirectory.newPath()
    private let identity = ScriptedIdentity()

    private func app(state: String? = nil) throws -> AuthApp {
        try AuthApp(
            unregistered: AuthApp.Options(
                appID: "com.example.Mail",
                project: "p",
                identityProvider: identity.source,
                store: .custom(store),
                listenerExecutor: .dispatchQueue(DispatchQueue(label: "listeners")),
                stateDirectory: state ?? directory,
                observesOtherProcesses: false
            )
        )
    }

    private func key(_ group: String?) throws -> RecordKey {
        let scope: RecordKey.Scope = if let group { .group(group) } else { .app("com.example.Mail") }
        return RecordKey(scope: scope, project: "p", instance: AuthApp.defaultName, kind: "user")
    }

    private func journal() -> Journal {
        Journal(directory: directory, appID: "com.example.Mail", project: "p", instance: "default")
    }

    private func signIn(_ uid: String, _ auth: Auth) async throws {
        identity.expect(.scripted(uid))
        try await auth.signIn(withEmail: "person@example.com", password: "password")
    }

    /// Stores a user as another process does.
    private func put(_ uid: String, _ token: String = "1", lasting: TimeInterval = 3600, in group: String?) throws {
        let account = Account(
            profile: UserProfile(uid: uid),
            tokens: .scripted(uid, token, lasting: lasting),
            project: "p",
            issuer: Account.ownIssuer
        )
        let payload = try UserRecord().signingIn(account).encoded()
        _ = try store.base.update(key(group), by: .patient) { _ in .write(payload) }
    }

    /// Signs all users out as another process does.
    private func remove(_ group: String?) throws {
        _ = try store.base.update(key(group), by: .patient) { _ in .delete }
    }

    private func stored(_ group: String?) throws -> UserRecord? {
        guard case .whole(let record) = try store.base.read(key(group), by: .patient) else {
            return nil
        }
        return try UserRecord(decoding: record.payload)
    }

    // MARK: Switches

    @Test("A switch after a failed first load reads the app's own slot first and empties it")
    func switchAfterFailedLoad() async throws {
        try put("x", in: nil)
        store.fail(.read, times: 1)
        let app = try app()
        let auth = Auth.auth(app: app)
        guard case .unavailable = await auth.ready() else { Issue.record("\(auth.state)"); return }
        try auth.useUserAccessGroup(Self.group)
        #expect(try stored(nil) == nil)
        try auth.useUserAccessGroup(nil)
        #expect(auth.currentUser == nil)
    }

    @Test("If the app's own slot still cannot be read, the switch fails and changes nothing")
    func switchAfterFailedLoadFails() async throws {
        try put("x", in: nil)
        store.fail(.read, times: 3)
        let app = try app()
        let auth = Auth.auth(app: app)
        _ = await auth.ready()
        expectFailure(.keychainError) { try auth.useUserAccessGroup(Self.group) }
        #expect(auth.userAccessGroup == nil)
        #expect(try stored(nil)?.current?.uid == "x")
        try auth.useUserAccessGroup(nil)
        #expect(auth.currentUser?.uid == "x")
    }

    @Test("A group choice that could not be read is read again, never guessed")
    func choiceReadAgain() async throws {
        try put("x", in: Self.group)
        try put("y", in: nil)
        // A file takes the directory's place.
        #expect(FileManager.default.createFile(atPath: directory, contents: nil))
        let app = try app()
        let auth = Auth.auth(app: app)
        guard case .unavailable(let error) = await auth.ready() else { Issue.record("\(auth.state)"); return }
        #expect(error.code == .stateDirectoryUnusable)
        #expect(auth.engine.rereadSlot() == false)
        #expect(auth.currentUser == nil)
        try FileManager.default.removeItem(atPath: directory)
        let journal = Journal(directory: directory, appID: "com.example.Mail", project: "p", instance: "default")
        try journal.change(by: .patient) { $0.slot = .group(Self.group) }
        #expect(auth.engine.rereadSlot() == false)
        #expect(auth.currentUser?.uid == "x")
        #expect(auth.userAccessGroup == Self.group)
    }

    @Test("A switch drops an unfinished migration, which moves or deletes no user later")
    func leftoverMigration() async throws {
        try put("x", in: nil)
        try put("x", in: Self.group)
        let journal = Journal(directory: directory, appID: "com.example.Mail", project: "p", instance: "default")
        try journal.change(by: .patient) { $0.begin(.migration(of: "x", to: .group(Self.group))) }
        store.fail(.read, times: 1)
        let app = try app()
        let auth = Auth.auth(app: app)
        _ = await auth.ready()
        try auth.useUserAccessGroup(Self.group)
        #expect(try journal.read().steps.allSatisfy { if case .migration = $0 { false } else { true } })
        let next = try self.app()
        #expect(Auth.auth(app: next).currentUser?.uid == "x")
        #expect(try stored(Self.group)?.current?.uid == "x")
    }

    @Test("A switch is not reverted if its deletion is done but reports an error")
    func leftAllTheSame() async throws {
        let app = try app()
        let auth = Auth.auth(app: app)
        try await signIn("x", auth)
        try put("y", in: Self.group)
        store.fail(.deletion, of: try key(nil), times: 1, isDone: true)
        try auth.useUserAccessGroup(Self.group)
        #expect(auth.userAccessGroup == Self.group)
        #expect(auth.currentUser?.uid == "y")
        #expect(try stored(nil) == nil)
    }

    @Test("Joining a group keeps an own-slot user that another process signed in unnoticed")
    func somebodyElseLeft() async throws {
        let app = try app()
        let auth = Auth.auth(app: app)
        try await signIn("x", auth)
        try put("z", in: nil)
        try auth.useUserAccessGroup(Self.group)
        #expect(try stored(nil)?.current?.uid == "z")
    }

    // MARK: Migrations

    @Test("A failed migration removes its copy despite newer tokens; the occupant returns")
    func takenBack() async throws {
        let app = try app()
        let auth = Auth.auth(app: app)
        try await signIn("x", auth)
        try put("z", in: Self.group)
        // The copy is written, a peer refreshes the original, and then the original cannot be deleted.
        store.after(.update, of: try key(Self.group)) { _ in try? put("x", "newer", lasting: 7200, in: nil) }
        store.fail(.deletion, of: try key(nil), times: 1, isDone: false)
        await expectFailure(.keychainError) {
            try await auth.migrateCurrentUser(toAccessGroup: Self.group, policy: .replace)
        }
        #expect(auth.currentUser?.uid == "x")
        #expect(auth.userAccessGroup == nil)
        #expect(try stored(nil)?.currentAccount?.tokens.idToken == "x/id/newer")
        #expect(try stored(Self.group)?.current?.uid == "z")
    }

    @Test("If a peer overwrites the copy before it is read back, the original stays in use")
    func overwrittenCopy() async throws {
        let app = try app()
        let auth = Auth.auth(app: app)
        try await signIn("x", auth)
        store.after(.update, of: try key(Self.group)) { _ in try? put("z", in: Self.group) }
        await expectFailure(.accessGroupOccupied) { try await auth.migrateCurrentUser(toAccessGroup: Self.group) }
        #expect(auth.userAccessGroup == nil)
        #expect(try stored(nil)?.current?.uid == "x")
        #expect(try stored(Self.group)?.current?.uid == "z")
    }

    @Test("A migration does not sign in a user whom another process signs out meanwhile")
    func signedOutMeanwhile() async throws {
        let app = try app()
        let auth = Auth.auth(app: app)
        try await signIn("x", auth)
        store.after(.update, of: try key(Self.group)) { _ in try? remove(nil) }
        await expectFailure(.conflict) { try await auth.migrateCurrentUser(toAccessGroup: Self.group) }
        #expect(auth.userAccessGroup == nil)
        #expect(try stored(Self.group) == nil)
    }

    @Test("An interrupted migration of a user who was signed out since is dropped")
    func cutOffAndSignedOut() async throws {
        try put("x", in: Self.group)
        let journal = Journal(directory: directory, appID: "com.example.Mail", project: "p", instance: "default")
        try journal.change(by: .patient) { $0.begin(.migration(of: "x", to: .group(Self.group))) }
        let app = try app()
        let auth = Auth.auth(app: app)
        #expect(auth.currentUser == nil)
        #expect(auth.userAccessGroup == nil)
        #expect(try journal.read() == GroupChoice())
    }

    @Test("A deletion that is done but reports an error does not remove the only copy")
    func deletedAllTheSame() async throws {
        let app = try app()
        let auth = Auth.auth(app: app)
        try await signIn("x", auth)
        let user = auth.currentUser
        store.fail(.deletion, of: try key(nil), times: 1, isDone: true)
        try await auth.migrateCurrentUser(toAccessGroup: Self.group)
        #expect(auth.currentUser === user)
        #expect(auth.userAccessGroup == Self.group)
        #expect(try stored(nil) == nil)
        #expect(try stored(Self.group)?.current?.uid == "x")
    }

    @Test(
        "With an unknown deletion outcome, switch and migration succeed and finish later",
        arguments: [false, true],
        [false, true]
    )
    func deletionUnknown(migrates: Bool, isDone: Bool) async throws {
        let app = try app()
        let auth = Auth.auth(app: app)
        try await signIn("x", auth)
        // The outcome cannot be read either.
        store.before(.deletion, of: try key(nil)) { [store] _ in store.fail(.read, times: 1) }
        store.fail(.deletion, of: try key(nil), times: 1, isDone: isDone)
        if migrates {
            try await auth.migrateCurrentUser(toAccessGroup: Self.group)
        } else {
            try await auth.useUserAccessGroup(Self.group, timeout: .patience)
        }
        #expect(auth.userAccessGroup == Self.group)
        #expect(auth.currentUser?.uid == (migrates ? "x" : nil))
        #expect(try stored(nil)?.current?.uid == (isDone ? nil : "x"))
        // The next start finishes it.
        let next = Auth.auth(app: try self.app())
        #expect(next.currentUser?.uid == (migrates ? "x" : nil))
        #expect(next.userAccessGroup == Self.group)
        next.waitUntilIdle()
        #expect(try stored(nil) == nil)
        #expect(try journal().read().steps.isEmpty)
    }

    @Test(
        "Switch and migration revert if the user left behind is certainly still stored",
        arguments: [false, true]
    )
    func deletionNotDone(migrates: Bool) async throws {
        let app = try app()
        let auth = Auth.auth(app: app)
        try await signIn("x", auth)
        store.fail(.deletion, of: try key(nil), times: 1, isDone: false)
        await expectFailure(.keychainError) {
            if migrates {
                try await auth.migrateCurrentUser(toAccessGroup: Self.group)
            } else {
                try await auth.useUserAccessGroup(Self.group, timeout: .patience)
            }
        }
        #expect(auth.userAccessGroup == nil)
        #expect(auth.currentUser?.uid == "x")
        #expect(try stored(Self.group) == nil)
        #expect(try journal().read() == GroupChoice())
    }

    // MARK: Damage

    @Test("A pending deletion in a slot damaged since blocks nothing and is dropped")
    func pendingInDamage() async throws {
        let journal = journal()
        try journal.change(by: .patient) { choice in
            choice.slot = .group(Self.group)
            choice.begin(.deletion(of: .own, revision: Revision(counter: 1, nonce: 1)))
        }
        store.base.put(.damaged("it is nonsense"), under: try key(nil))
        try put("x", in: Self.group)
        let app = try app()
        let auth = Auth.auth(app: app)
        #expect(auth.currentUser?.uid == "x")
        try auth.useUserAccessGroup("group.example.other")
        try auth.useUserAccessGroup(Self.group)
        auth.waitUntilIdle()
        #expect(try journal.read().steps.isEmpty)
        guard case .damaged = try store.base.read(key(nil), by: .patient) else {
            Issue.record("the damage is gone")
            return
        }
    }

    @Test("A pending deletion does not delete a newer record")
    func pendingOverNewer() async throws {
        let journal = Journal(directory: directory, appID: "com.example.Mail", project: "p", instance: "default")
        try journal.change(by: .patient) { choice in
            choice.slot = .group(Self.group)
            choice.begin(.deletion(of: .own, revision: Revision(counter: 1, nonce: 1)))
        }
        try put("z", in: nil)
        let app = try app()
        _ = await Auth.auth(app: app).ready()
        #expect(try stored(nil)?.current?.uid == "z")
        #expect(try journal.read().steps.isEmpty)
    }

    @Test("An app whose own slot is damaged can be deleted; its Auth then reports that")
    func deleted() async throws {
        store.base.put(.damaged("it is nonsense"), under: try key(nil))
        let app = try app()
        let auth = Auth.auth(app: app)
        _ = await auth.ready()
        try await app.delete()
        expectFailure(.appDeleted) { try auth.useUserAccessGroup(Self.group) }
        await expectFailure(.appDeleted) { try await signIn("x", auth) }
        guard case .unavailable(let error) = auth.state else { Issue.record("\(auth.state)"); return }
        #expect(error.code == .appDeleted)
        #expect(auth.currentUser == nil)
    }

    @Test("A listener added to the Auth of a deleted app does not receive its former user")
    func listenerAfterDeletion() async throws {
        let app = try app()
        let auth = Auth.auth(app: app)
        try await signIn("x", auth)
        try await app.delete()
        let uids = Recorder<String?>()
        _ = auth.addStateDidChangeListener { _, user in uids.record(user?.uid) }
        // A completion handler runs after all earlier announcements to listeners.
        let hasEnded = Recorder<Void>()
        auth.updateCurrentUser(nil) { _ in hasEnded.record(()) }
        #expect(hasEnded.first { true } != nil)
        #expect(uids.events.isEmpty)
    }

    // MARK: Bounds

    @Test("A record may not grow beyond its limit; a larger one is read and signed out")
    func tooLarge() async throws {
        let app = try app()
        let auth = Auth.auth(app: app)
        try await signIn("w", auth)
        let name = String(repeating: "n", count: 64 * 1024)
        identity.expect(
            IdentityGrant(
                profile: UserProfile(uid: "x", displayName: name),
                tokens: .scripted("x", "1"),
                isNewUser: true
            )
        )
        await expectFailure(.keychainError) {
            _ = try await auth.signIn(withEmail: "person@example.com", password: "password")
        }
        #expect(auth.currentUser?.uid == "w")
        let account = Account(
            profile: UserProfile(uid: "x", displayName: name),
            tokens: .scripted("x", "1"),
            project: "p",
            issuer: Account.ownIssuer
        )
        let payload = try UserRecord().signingIn(account).encoded()
        _ = try store.base.update(key(nil), by: .patient) { _ in .write(payload) }
        #expect(auth.engine.rereadSlot() == false)
        #expect(auth.currentUser?.uid == "x")
        try auth.signOut()
        #expect(try stored(nil) == nil)
    }

    @Test("An app with an in-memory store writes no state file")
    func noFile() throws {
        let app = try AuthApp(unregistered: AuthApp.Options(appID: "com.example.Memory", store: .inMemory()))
        let auth = Auth.auth(app: app)
        #expect(auth.engine.journal.path == nil)
        try auth.useUserAccessGroup(Self.group)
        #expect(auth.userAccessGroup == Self.group)
        #expect(try auth.engine.journal.read().slot == .group(Self.group))
    }
}
