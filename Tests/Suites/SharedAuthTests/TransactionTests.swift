import Dispatch
import FoundationEssentials
import SecretService
import Synchronization
import TestSupport
import Testing

@testable import SharedAuth

/// Changes while another process acts between the read of the slot and the write. The store is in memory and acts as
/// the test says.
struct TransactionTests {
    static let group = "group.example.transaction"
    static let other = "group.example.other"
    static let mail = "com.example.Mail"

    private let store = FaultInjectingStore()
    private let directory = TestDirectory.newPath()
    private let identity = ScriptedIdentity()

    private func auth(_ identity: ScriptedIdentity? = nil, groups: [String] = []) throws -> Auth {
        let options = AuthApp.Options(
            appID: Self.mail,
            accessGroups: groups,
            project: "p",
            identityProvider: (identity ?? self.identity).source,
            store: .custom(store),
            listenerExecutor: .dispatchQueue(DispatchQueue(label: "listeners")),
            stateDirectory: directory,
            observesOtherProcesses: false
        )
        return Auth.auth(app: try AuthApp(unregistered: options))
    }

    private func slots() -> UserSlots {
        UserSlots(store: store.base, appID: Self.mail, project: "p", instance: AuthApp.defaultName)
    }

    private func key(_ slot: Slot) throws -> RecordKey { try slots().key(slot) }

    private func record(_ slot: Slot) throws -> UserRecord { try slots().read(slot, by: .patient).record }

    private func account(
        _ uid: String,
        _ token: String = "1",
        issuer: String = Account.ownIssuer,
        anonymous: Bool = false
    ) -> Account {
        Account(
            profile: UserProfile(uid: uid, isAnonymous: anonymous),
            tokens: .scripted(uid, token),
            project: "p",
            issuer: issuer
        )
    }

    private func put(_ account: Account, in slot: Slot, besides: Bool = false) throws {
        _ = try slots().update(slot, by: .patient) { .store($0.record.signingIn(account, keepingOthers: besides)) }
    }

    private func choose(_ slot: Slot) throws {
        let journal = Journal(directory: directory, appID: Self.mail, project: "p", instance: AuthApp.defaultName)
        try journal.change(by: .patient) { $0.slot = slot }
    }

    /// Moves the app's user as a tool does.
    private func migrate(from source: String? = nil, to target: String? = group) throws {
        let migration = try UserMigration(
            from: source,
            to: target,
            project: "p",
            store: .custom(store.base),
            stateDirectories: StateDirectories(own: directory, home: "/nonexistent", given: [])
        )
        let outcomes = try migration.plan(for: .named([Self.mail])).flatMap { migration.perform($0) }
        #expect(outcomes.map(\.kind) == [.moved])
    }

    /// Moves the user when the next change of the app's own slot has begun but nothing of it has been read.
    private func migrateMeanwhile() throws {
        store.before(.update, of: try key(.own)) { _ in #expect(throws: Never.self) { try migrate() } }
    }

    // MARK: Slots

    enum SigningOut: CaseIterable { case current, uid, user, all }

    @Test("A sign-out reaches a user who is moved meanwhile", arguments: SigningOut.allCases)
    func signOutFollows(_ form: SigningOut) throws {
        try put(account("x"), in: .own)
        let auth = try auth()
        let user = try #require(auth.currentUser)
        try migrateMeanwhile()
        switch form {
        case .current: try auth.signOut()
        case .uid: try auth.signOut(uid: "x")
        case .user: try auth.signOut(user)
        case .all: try auth.signOutAll()
        }
        #expect(auth.currentUser == nil)
        #expect(try record(.own).accounts.isEmpty && record(.group(Self.group)).accounts.isEmpty)
        #expect(try self.auth().currentUser == nil)
    }

    @Test("A sign-in during a move writes to the slot that the app has chosen by then")
    func signInFollows() async throws {
        try put(account("x"), in: .own)
        let auth = try auth()
        #expect(auth.currentUser?.uid == "x")
        try migrateMeanwhile()
        identity.expect(.scripted("y"))
        try await auth.signIn(withEmail: "person@example.com", password: "password")
        #expect(auth.currentUser?.uid == "y" && auth.userAccessGroup == Self.group)
        #expect(try record(.own).accounts.isEmpty)
        #expect(try self.auth().currentUser?.uid == "y")
    }

    @Test("updateCurrentUser during a move writes to the slot the app has chosen by then")
    func updateFollows() async throws {
        try put(account("x"), in: .own)
        let auth = try auth()
        #expect(auth.currentUser?.uid == "x")
        try migrateMeanwhile()
        let user = User(account("y"), auth: auth, slot: nil)
        try await auth.updateCurrentUser(user)
        #expect(auth.currentUser === user && auth.userAccessGroup == Self.group)
        #expect(try record(.own).accounts.isEmpty)
        #expect(try self.auth().currentUser?.uid == "y")
    }

    @Test("A user who is moved and moved back meanwhile is changed in the current slot")
    func movedBack() throws {
        try put(account("x"), in: .own)
        let auth = try auth()
        #expect(auth.currentUser?.uid == "x")
        store.before(.update, of: try key(.own)) { _ in
            #expect(throws: Never.self) {
                try migrate()
                try migrate(from: Self.group, to: nil)
            }
        }
        try auth.signOut()
        #expect(try record(.own).accounts.isEmpty && record(.group(Self.group)).accounts.isEmpty)
    }

    @Test("An app that starts while its user is moved finds the user")
    func startDuringMove() throws {
        try put(account("x"), in: .own)
        store.before(.read, of: try key(.own)) { _ in #expect(throws: Never.self) { try migrate() } }
        let auth = try auth()
        #expect(auth.currentUser?.uid == "x" && auth.userAccessGroup == Self.group)
    }

    @Test("A signed-out app follows a migration from its slot")
    func migrationByAnother() throws {
        let auth = try auth()
        #expect(auth.currentUser == nil)
        try put(account("x"), in: .own)
        try migrate()
        _ = auth.engine.rereadSlot()
        #expect(auth.currentUser?.uid == "x" && auth.userAccessGroup == Self.group)
    }

    @Test("A signed-out app's sign-out changes nothing, though users were migrated from its slot")
    func signOutOfNobody() throws {
        let auth = try auth()
        #expect(auth.currentUser == nil)
        try put(account("x"), in: .own)
        try migrate()
        try auth.signOut()
        try auth.signOutAll()
        #expect(try record(.group(Self.group)).current?.uid == "x")
    }

    @Test("A change by an earlier version is followed only to the current user", arguments: [true, false])
    func earlierVersion(isMigration: Bool) throws {
        try put(account("x"), in: .own)
        try put(account("y"), in: .group(Self.group))
        let auth = try auth()
        #expect(auth.currentUser?.uid == "x")
        let journal = Journal(directory: directory, appID: Self.mail, project: "p", instance: AuthApp.defaultName)
        try journal.change(by: .patient) { $0 = GroupChoice(slot: .group(Self.group), moves: nil) }
        if isMigration { try put(account("x"), in: .group(Self.group)) }
        _ = try slots().update(.own, by: .patient) { _ in .store(UserRecord()) }
        _ = auth.engine.rereadSlot()
        #expect(auth.currentUser?.uid == (isMigration ? "x" : nil))
        #expect(auth.userAccessGroup == (isMigration ? Self.group : nil))
        if !isMigration { try auth.signOut() }
        #expect(try record(.group(Self.group)).current?.uid == (isMigration ? "x" : "y"))
    }

    @Test("An app stays in its slot when another process switches by hand", arguments: [true, false])
    func switchByAnother(isSignedIn: Bool) throws {
        if isSignedIn { try put(account("x"), in: .group(Self.other)) }
        try put(account("y"), in: .group(Self.group))
        try choose(.group(Self.other))
        let auth = try auth()
        try self.auth().useUserAccessGroup(Self.group)
        _ = auth.engine.rereadSlot()
        #expect(auth.currentUser?.uid == (isSignedIn ? "x" : nil) && auth.userAccessGroup == Self.other)
        try auth.signOut()
        try auth.signOut()
        #expect(auth.userAccessGroup == Self.other)
        #expect(try record(.group(Self.group)).current?.uid == "y")
    }

    @Test("An undeclared group is no longer a failure once the users leave it")
    func undeclaredAndBack() throws {
        try put(account("x"), in: .own)
        let auth = try auth(groups: ["group.example.other"])
        #expect(auth.currentUser?.uid == "x")
        try migrate()
        _ = auth.engine.rereadSlot()
        #expect(auth.currentUser == nil)
        try migrate(from: Self.group, to: nil)
        #expect(auth.currentUser?.uid == "x")
    }

    // MARK: Accounts

    enum Act: CaseIterable { case refresh, reload, delete, signOut }

    @Test(
        "Another issuer's session of the same uid is left alone, even if not yet noticed",
        arguments: Act.allCases
    )
    func otherIssuer(_ act: Act) async throws {
        try put(account("x", "a"), in: .own)
        let auth = try auth()
        let user = try #require(auth.currentUser)
        let others = account("x", "b", issuer: "https://other.example")
        try put(others, in: .own)
        switch act {
        // The user's own session may be refreshed, because no slot holds it any longer.
        case .refresh: _ = try? await user.getIDToken(forcingRefresh: true)
        case .reload: try? await user.reload()
        case .delete: try? await user.delete()
        case .signOut: try auth.signOut()
        }
        #expect(user.refreshToken != others.tokens.refreshToken)
        let stored = try record(.own)
        #expect(stored.accounts.map(\.id) == [others.id] && stored.current == others.id)
        #expect(stored.currentAccount?.tokens.refreshToken == others.tokens.refreshToken)
    }

    @Test(
        "A user is not moved over another issuer's user with the same uid",
        arguments: [MigrationPolicy.fail, .join]
    )
    func otherIssuerAtTarget(_ policy: MigrationPolicy) throws {
        let others = account("x", "b", issuer: "https://other.example")
        try put(account("x", "a"), in: .own)
        try put(others, in: .group(Self.group))
        let auth = try auth()
        let code = expectCode { () throws(AuthError) in
            try auth.migrateCurrentUser(toAccessGroup: Self.group, policy: policy)
        }
        #expect(code == (policy == .join ? nil : .accessGroupOccupied))
        #expect(try record(.group(Self.group)).accounts.map(\.id) == [others.id])
        #expect(try record(.own).currentAccount?.tokens.refreshToken == account("x", "a").tokens.refreshToken)
    }

    @Test("A bare uid of two users means this app's; else the error lists both issuers")
    func ambiguousUID() throws {
        let (one, two) = (account("x", "a", issuer: "one"), account("x", "b", issuer: "two"))
        for (issuer, rest) in [("one", [two]), ("three", [one, two])] {
            try put(one, in: .own)
            try put(two, in: .own, besides: true)
            let auth = try auth(ScriptedIdentity(issuer: issuer))
            var message = ""
            do throws(AuthError) { try auth.signOut(uid: "x") } catch { message = error.message }
            #expect(try record(.own).accounts == rest)
            #expect((message.contains("one") && message.contains("two")) == (issuer == "three"))
            try auth.signOutAll()
        }
    }

    @Test("Two users with one uid stay distinct when they are read again")
    func bothAreRead() throws {
        let (one, two) = (account("x", "a", issuer: "one"), account("x", "b", issuer: "two"))
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
        try put(account("x"), in: .own)
        let auth = try auth()
        let user = try #require(auth.currentUser)
        try migrate()
        store.fail(.read, of: try key(.group(Self.group)), times: 1)
        _ = auth.engine.rereadSlot()
        _ = auth.engine.rereadSlot()
        #expect(auth.currentUser === user && auth.userAccessGroup == Self.group)
        #expect(user.slot == .group(Self.group))
    }

    @Test("A user who was read before a move is refreshed in the slot with the session")
    func heldUserFollows() async throws {
        try put(account("x"), in: .own)
        let auth = try auth()
        let held = try #require(try auth.getStoredUser(forAccessGroup: nil))
        try migrate()
        let token = try await held.getIDToken(forcingRefresh: true)
        #expect(try record(.group(Self.group)).currentAccount?.tokens.idToken == token)
    }

    @Test("A user whose session is in another slot is not refreshed from the old slot")
    func heldElsewhere() async throws {
        try put(account("x"), in: .group(Self.group))
        let auth = try auth()
        let held = try #require(try auth.getStoredUser(forAccessGroup: Self.group))
        let other = "group.example.elsewhere"
        try put(account("x"), in: .group(other))
        _ = try slots().update(.group(Self.group), by: .patient) { _ in .store(UserRecord()) }
        let refreshes = identity.refreshes
        await expectFailure(.operationNotAllowed) { _ = try await held.getIDToken(forcingRefresh: true) }
        #expect(identity.refreshes == refreshes)
        #expect(try record(.group(other)).currentAccount?.tokens.refreshToken == account("x").tokens.refreshToken)
    }

    // MARK: Known state

    @Test("An anonymous sign-in after a failed first load keeps the stored anonymous user")
    func anonymousAfterFailedLoad() async throws {
        let anonymous = account("n", anonymous: true)
        try put(anonymous, in: .own)
        store.fail(.read, times: 1)
        let auth = try auth()
        identity.expect(.scripted("other", anonymous: true))
        #expect(try await auth.signInAnonymously().user.uid == "n")
        #expect(try record(.own).accounts.map(\.id) == [anonymous.id])
    }

    @Test("A caller waits no longer than its own deadline, and the first load continues")
    func shortCall() throws {
        try put(account("x"), in: .own)
        let letGo = store.hold(.read)
        let auth = try auth()
        let code = expectCode { () throws(AuthError) in
            try auth.engine.withOperation(by: .after(.milliseconds(50))) { _ in }
        }
        #expect(code == .timedOut)
        letGo()
        #expect(auth.currentUser?.uid == "x")
    }

    @Test("A sign-out removes the user who is shown and keeps another who is current")
    func shownIsNotCurrent() throws {
        try put(account("x"), in: .own)
        let auth = try auth()
        #expect(auth.currentUser?.uid == "x")
        try put(account("y"), in: .own, besides: true)
        try auth.signOut()
        #expect(auth.currentUser?.uid == "y")
        #expect(try record(.own).accounts.map(\.uid) == ["y"])
    }

    @Test("A sign-out of a user who was never saved shows no older user")
    func neverSaved() async throws {
        try put(account("x"), in: .own)
        let auth = try auth()
        #expect(auth.currentUser?.uid == "x")
        store.fail(.update, times: 1)
        try? await auth.updateCurrentUser(User(account("y"), auth: auth, slot: nil))
        #expect(auth.currentUser?.uid == "y")
        try auth.signOut()
        #expect(auth.currentUser == nil)
        #expect(try record(.own).accounts.isEmpty)
    }

    // MARK: Pending steps

    @Test("A pending deletion is not carried out on a slot that is chosen again meanwhile")
    func deletionOfSlotInUse() throws {
        try put(account("x"), in: .own)
        try choose(.group(Self.group))
        let revision = try #require(try slots().read(.own, by: .patient).revision)
        let journal = Journal(directory: directory, appID: Self.mail, project: "p", instance: AuthApp.defaultName)
        try journal.change(by: .patient) { $0.begin(.deletion(of: .own, revision: revision)) }
        store.before(.update, of: try key(.own)) { _ in #expect(throws: Never.self) { try choose(.own) } }
        let auth = try auth()
        _ = auth.currentUser
        #expect(try record(.own).accounts.map(\.uid) == ["x"])
    }

    @Test("An empty copy left by a daemon that died is overwritten")
    func emptyCopy() throws {
        try put(account("x"), in: .own)
        let auth = try auth()
        #expect(auth.currentUser?.uid == "x")
        store.base.put(.empty, under: try key(.group(Self.group)))
        try auth.migrateCurrentUser(toAccessGroup: Self.group)
        #expect(try record(.group(Self.group)).accounts.map(\.uid) == ["x"])
    }

    @Test("Two moves of one user to two groups end in one of the groups")
    func twoMoves() throws {
        try put(account("x"), in: .own)
        let auth = try auth()
        #expect(auth.currentUser?.uid == "x")
        let other = "group.example.elsewhere"
        store.after(.update, of: try key(.group(other))) { _ in #expect(throws: Never.self) { try migrate() } }
        #expect(expectCode { () throws(AuthError) in try auth.migrateCurrentUser(toAccessGroup: other) } == .conflict)
        #expect(try record(.group(other)).accounts.isEmpty)
        #expect(try record(.group(Self.group)).accounts.map(\.uid) == ["x"])
        #expect(try self.auth().currentUser?.uid == "x")
    }

    /// Returns the code of the error, or nil if there was none.
    private func expectCode(_ body: () throws(AuthError) -> Void) -> AuthErrorCode? {
        do throws(AuthError) {
            try body()
            return nil
        } catch {
            return error.code
        }
    }
}
