import Foundation
import SharedAuth
import TestSupport
import Testing

@testable import LocalIdentity

/// Addresses and passwords that an account gets, changes and loses, whichever shard holds the address.
struct LinkTests {
    private let world = LocalIdentityFixture()

    /// Returns an address whose shard is, or is not, that of an account.
    private func address(inShardOf uid: String, _ isSame: Bool, _ name: String = "a") throws -> String {
        for number in 0..<1000 {
            let text = "\(name)\(number)@example.com"
            let shard = AccountShard.number(of: try EmailAddress(text), tenantID: nil)
            if (shard == AccountShard.number(of: uid)) == isSame { return text }
        }
        throw CancellationError()
    }

    private func grant(_ identity: LocalIdentity, _ email: String) async throws -> IdentityGrant {
        try await identity.signIn(with: .password(email, "secret-1"), tenantID: nil)
    }

    @Test(
        "An anonymous account gets a password and keeps its uid, in any shard",
        arguments: [true, false]
    )
    func links(isSame: Bool) async throws {
        let identity = world.identity()
        let anonymous = try await identity.signInAnonymously(tenantID: nil)
        let uid = anonymous.profile.uid
        let email = try address(inShardOf: uid, isSame)
        let linked = try await identity.link(.password(email.uppercased(), "secret-1"), to: anonymous.tokens)
        #expect(linked.profile.uid == uid && !linked.profile.isAnonymous && linked.profile.email == email)
        #expect(linked.profile.providerData.map(\.providerID) == ["password"])
        #expect(try SignedToken(linked.tokens.idToken).claims["email"] == .string(email))
        #expect(try await grant(world.identity(), email).profile.uid == uid)
        // The session continues: the previous token is valid until the new one is used.
        _ = try await identity.refreshTokens(anonymous.tokens.refreshToken)
        _ = try await identity.refreshTokens(linked.tokens.refreshToken)
        await expectFailure(.providerAlreadyLinked) {
            try await identity.link(.password("b@example.com", "secret-1"), to: linked.tokens)
        }
        await expectFailure(.emailAlreadyInUse) {
            try await identity.createUser(withEmail: email, password: "secret-1", tenantID: nil)
        }
        let other = try await identity.signInAnonymously(tenantID: nil)
        await expectFailure(.emailAlreadyInUse) {
            try await identity.link(.password(email, "secret-1"), to: other.tokens)
        }
        #expect(try await identity.profile(for: other.tokens).isAnonymous)
    }

    @Test("A password under six characters, or an invalid address, is not linked")
    func refused() async throws {
        let identity = world.identity()
        let tokens = try await identity.signInAnonymously(tenantID: nil).tokens
        await expectFailure(.weakPassword) { try await identity.link(.password("a@example.com", "short"), to: tokens) }
        await expectFailure(.invalidEmail) { try await identity.link(.password("a", "secret-1"), to: tokens) }
        let credential = OAuthProvider.credential(OAuthCredential(providerID: "github.com"))
        await expectFailure(.operationNotAllowed) { try await identity.link(credential, to: tokens) }
        await expectFailure(.noSuchProvider) { try await identity.unlink(providerID: "password", from: tokens) }
        await expectFailure(.noSuchProvider) { try await identity.updateEmail(to: "a@example.com", for: tokens) }
        await expectFailure(.noSuchProvider) { try await identity.updatePassword(to: "secret-2", for: tokens) }
        // Not even the address is reserved.
        #expect(try world.storedText().values.allSatisfy { !$0.contains("a@example.com") })
    }

    @Test("An address that an account gave up is free again", arguments: [true, false])
    func givesUp(isSame: Bool) async throws {
        let identity = world.identity()
        let anonymous = try await identity.signInAnonymously(tenantID: nil)
        let uid = anonymous.profile.uid
        let (one, two) = (try address(inShardOf: uid, isSame), try address(inShardOf: uid, !isSame, "b"))
        let linked = try await identity.link(.password(one, "secret-1"), to: anonymous.tokens)
        let changed = try await identity.updateEmail(to: two, for: linked.tokens)
        #expect(changed.profile.email == two)
        await expectFailure(.userNotFound) { _ = try await grant(identity, one) }
        #expect(try await grant(identity, two).profile.uid == uid)
        _ = try await identity.createUser(withEmail: one, password: "secret-1", tenantID: nil)
        let tokens = try await grant(identity, two).tokens
        let unlinked = try await identity.unlink(providerID: "password", from: tokens)
        #expect(unlinked.profile.isAnonymous && unlinked.profile.uid == uid)
        await expectFailure(.userNotFound) { _ = try await grant(identity, two) }
        let again = try await identity.link(.password(two, "secret-1"), to: tokens)
        try await identity.deleteAccount(for: again.tokens)
        #expect(try await identity.createUser(withEmail: two, password: "secret-1", tenantID: nil).isNewUser)
    }

    @Test("An interrupted link reserves the address for a minute, and no longer")
    func lapses() async throws {
        let identity = world.identity()
        let anonymous = try await identity.signInAnonymously(tenantID: nil)
        let email = try EmailAddress(address(inShardOf: anonymous.profile.uid, false))
        let account = try #require(try await world.shard(of: anonymous.profile.uid)[anonymous.profile.uid])
        let entry = AddressClaim.make(of: email, for: account, at: world.now.wholeSeconds, identity.random)
        try await identity.records.update(accountOf: entry.uid) { $0.add(entry) }
        await expectFailure(.emailAlreadyInUse) {
            try await identity.createUser(withEmail: email.text, password: "secret-1", tenantID: nil)
        }
        await expectFailure(.userNotFound) { _ = try await grant(identity, email.text) }
        world.advance(by: 61)
        let created = try await identity.createUser(withEmail: email.text, password: "secret-1", tenantID: nil)
        #expect(try await grant(identity, email.text).profile.uid == created.profile.uid)
    }

    @Test("A claim from the future lapses as an old one does", arguments: [(30.0, false), (90, true), (86_400, true)])
    func future(seconds: TimeInterval, lapses: Bool) async throws {
        let identity = world.identity()
        let anonymous = try await identity.signInAnonymously(tenantID: nil)
        let email = try EmailAddress(address(inShardOf: anonymous.profile.uid, false))
        let account = try #require(try await world.shard(of: anonymous.profile.uid)[anonymous.profile.uid])
        let time = (world.now + seconds).wholeSeconds
        let entry = AddressClaim.make(of: email, for: account, at: time, identity.random)
        try await identity.records.update(accountOf: entry.uid) { $0.add(entry) }
        do {
            _ = try await identity.createUser(withEmail: email.text, password: "secret-1", tenantID: nil)
            #expect(lapses)
        } catch {
            #expect(!lapses && error.code == .emailAlreadyInUse)
        }
    }

    @Test("An address whose claim lapsed before the account changed gets one account only")
    func claimedTwice() async throws {
        let base = InMemoryRecordStore()
        let store = FaultInjectingStore(base)
        let world = LocalIdentityFixture(store: base)
        let identity = LocalIdentityFixture(store: store).identity()
        let anonymous = try await identity.signInAnonymously(tenantID: nil)
        let uid = anonymous.profile.uid
        let email = try address(inShardOf: uid, false)
        // After the address is claimed and before the account has it, a minute passes and another account gets it.
        let key = RecordKey.identityAccounts(AccountShard.number(of: uid), of: world.project)
        let address = try EmailAddress(email)
        store.before(.update, of: key) { _ in
            world.advance(by: 61)
            Self.wait {
                let other = world.identity()
                let created = try? await other.createUser(withEmail: email, password: "secret-2", tenantID: nil)
                #expect(created?.isNewUser == true)
            }
        }
        await expectFailure(.emailAlreadyInUse) {
            try await identity.link(.password(email, "secret-1"), to: anonymous.tokens)
        }
        #expect(try await identity.profile(for: anonymous.tokens).isAnonymous)
        #expect(try await owners(of: address, world).count == 1)
        #expect(try await world.identity().signIn(with: .password(email, "secret-2"), tenantID: nil).profile.uid != uid)
    }

    @Test("An old claim is renewed first and does not lapse while the account changes")
    func renewed() async throws {
        let (world, store, identity, anonymous) = try await Self.interruptible()
        let uid = anonymous.profile.uid
        let email = try EmailAddress(address(inShardOf: uid, false))
        let account = try #require(try await world.shard(of: uid)[uid])
        let entry = AddressClaim.make(of: email, for: account, at: world.now.wholeSeconds, identity.random)
        try await identity.records.update(accountOf: entry.uid) { $0.add(entry) }
        world.advance(by: 40)
        let key = RecordKey.identityAccounts(AccountShard.number(of: uid), of: world.project)
        let claims = RecordKey.identityAccounts(AccountShard.number(of: email, tenantID: nil), of: world.project)
        // After the account's change has checked the claim, and before it is stored.
        store.before(.update, of: key) { _ in
            store.after(.read, of: claims) { _ in
                world.advance(by: 21)
                Self.wait {
                    await expectFailure(.emailAlreadyInUse) {
                        try await world.identity().createUser(
                            withEmail: email.text,
                            password: "secret-2",
                            tenantID: nil
                        )
                    }
                }
            }
        }
        let linked = try await identity.link(.password(email.text, "secret-1"), to: anonymous.tokens)
        #expect(linked.profile.email == email.text)
        #expect(try await owners(of: email, world) == [uid])
    }

    @Test("A change of the address that takes too long changes nothing, and can be repeated")
    func late() async throws {
        let (world, store, identity, anonymous) = try await Self.interruptible()
        let uid = anonymous.profile.uid
        let email = try address(inShardOf: uid, false)
        let key = RecordKey.identityAccounts(AccountShard.number(of: uid), of: world.project)
        store.before(.update, of: key) { _ in world.advance(by: 31) }
        let credential = AuthCredential.password(email, "secret-1")
        await expectFailure(.timedOut) { try await identity.link(credential, to: anonymous.tokens) }
        #expect(try await identity.profile(for: anonymous.tokens).isAnonymous)
        let linked = try await identity.link(credential, to: anonymous.tokens)
        #expect(linked.profile.uid == uid && linked.profile.email == email)
    }

    /// Creates an identity provider whose calls of the store a test interrupts, and an anonymous account.
    private static func interruptible() async throws
        -> (LocalIdentityFixture, FaultInjectingStore<InMemoryRecordStore>, LocalIdentity, IdentityGrant)
    {
        let store = FaultInjectingStore(InMemoryRecordStore())
        let world = LocalIdentityFixture(store: store.base)
        let identity = world.identity(on: store)
        return (world, store, identity, try await identity.signInAnonymously(tenantID: nil))
    }

    /// Returns the uids of all accounts that have an address.
    private func owners(of address: EmailAddress, _ world: LocalIdentityFixture) async throws -> [String] {
        var owners: [String] = []
        for number in 0..<AccountShard.count {
            let accounts = try await world.identity().records.shard(number).accounts
            owners += accounts.filter { $0.email == address.text && $0.claimant == nil }.map(\.uid)
        }
        return owners
    }

    /// Blocks until asynchronous work has ended.
    private static func wait(_ work: @escaping @Sendable () async -> Void) {
        let done = DispatchSemaphore(value: 0)
        Task.detached {
            await work()
            done.signal()
        }
        done.wait()
    }

    @Test("Earlier versions can read a linked account: no member is new")
    func storedForm() async throws {
        let identity = world.identity()
        let anonymous = try await identity.signInAnonymously(tenantID: nil)
        let email = try address(inShardOf: anonymous.profile.uid, false)
        _ = try await identity.link(.password(email, "secret-1"), to: anonymous.tokens)
        let known: Set = [
            "uid", "email", "password", "isDisabled", "created", "signedIn", "sessions", "tenantID", "displayName",
            "photoURL",
        ]
        for (kind, text) in try world.storedText() where kind.hasPrefix("identity-accounts") {
            let content = try JSONDecoder().decode([String: JSONValue].self, from: Data(text.utf8))["content"]
            guard case .array(let accounts)? = content?["accounts"] else { throw CancellationError() }
            for case .object(let account) in accounts { #expect(known.isSuperset(of: account.keys)) }
        }
        let shard = try await identity.records.shard(AccountShard.number(of: EmailAddress(email), tenantID: nil))
        // Earlier versions see this: an account that has the address and no password.
        let entry = try #require(shard.account(withEmail: EmailAddress(email), tenantID: nil))
        #expect(entry.password == nil && entry.sessions.isEmpty && !entry.isAnonymous)
    }

    @Test(
        "A password or address change ends other sessions and renews the current one",
        arguments: [true, false]
    )
    func endsOthers(isPassword: Bool) async throws {
        let identity = world.identity()
        let mine = try await identity.createUser(withEmail: "a@example.com", password: "secret-1", tenantID: nil)
        let other = try await grant(identity, "a@example.com")
        let change =
            isPassword
            ? try await identity.updatePassword(to: "secret-2", for: mine.tokens)
            : try await identity.updateEmail(to: "b@example.com", for: mine.tokens)
        await expectFailure(.userTokenExpired) { try await identity.refreshTokens(other.tokens.refreshToken) }
        // A client that loses the response still has a session.
        _ = try await identity.refreshTokens(mine.tokens.refreshToken)
        _ = try await identity.refreshTokens(change.tokens?.refreshToken)
    }

    @Test("Only the account's own credential renews the time of the sign-in")
    func reauthenticates() async throws {
        let identity = world.identity()
        let mine = try await identity.createUser(withEmail: "a@example.com", password: "secret-1", tenantID: nil)
        _ = try await identity.createUser(withEmail: "b@example.com", password: "secret-1", tenantID: nil)
        world.advance(by: 100)
        let again = try await identity.reauthenticate(with: .password("a@example.com", "secret-1"), for: mine.profile)
        #expect(again.profile.uid == mine.profile.uid)
        #expect(try SignedToken(again.tokens.idToken).claims["auth_time"] == .number(1_800_000_100))
        let before = try world.storedText()
        for credential in [
            AuthCredential.password("b@example.com", "secret-1"), .password("c@example.com", "secret-1"),
        ] {
            await expectFailure(.userMismatch) {
                try await identity.reauthenticate(with: credential, for: mine.profile)
            }
        }
        await expectFailure(.wrongPassword) {
            try await identity.reauthenticate(with: .password("a@example.com", "secret-2"), for: mine.profile)
        }
        #expect(try world.storedText() == before)
    }

    @Test("An app's sign-out revokes its session, and no other")
    func revokes() async throws {
        let options = AuthApp.Options(
            appID: "com.example.Mail",
            project: "project",
            identityProvider: IdentityProviderFactory { [world] _ in world.identity() },
            store: .inMemory(),
            observesOtherProcesses: false
        )
        let auth = Auth.auth(app: try AuthApp(unregistered: options))
        let user = try await auth.signInAnonymously().user
        try await user.link(with: .password("a@example.com", "secret-1"))
        #expect(!user.isAnonymous && user.email == "a@example.com")
        let other = try await grant(world.identity(), "a@example.com")
        let token = user.refreshToken
        try await auth.signOut(timeout: .seconds(20))
        await expectFailure(.userTokenExpired) { try await world.identity().refreshTokens(token) }
        _ = try await world.identity().refreshTokens(other.tokens.refreshToken)
    }
}
