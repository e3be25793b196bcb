import FoundationEssentials
import SecretService
import Synchronization
import TestSupport
import Testing

@testable import SharedAuth

/// Tests tokens that the keyring could not store when the identity provider returned them, and slow identity providers.
struct UnsavedTokenTests {
    /// Returns a user whose refreshed tokens could not be saved.
    private func unsaved(_ fault: Fault, _ world: AppFixture) async throws -> (TestApp, User) {
        let app = try TestApp(world, interceptor: fault.interceptor)
        let user = try await app.signIn("x")
        fault.fail("CreateItem")
        await expectFailure(.keychainError) { _ = try await user.getIDToken(forcingRefresh: true) }
        #expect(user.refreshToken == "x/refresh/refreshed-1")
        #expect(try app.auth.getStoredUser(forAccessGroup: nil)?.refreshToken == "x/refresh/refreshed-1")
        #expect(try TestApp(world).auth.getStoredUser(forAccessGroup: nil)?.refreshToken == "x/refresh/1")
        return (app, user)
    }

    @Test("Unsaved tokens are saved by the next read, over the tokens that they replace")
    func savedByLook() async throws {
        let world = try AppFixture()
        let (app, user) = try await unsaved(Fault(), world)
        #expect(app.auth.engine.rereadSlot() == false)
        #expect(try TestApp(world).auth.getStoredUser(forAccessGroup: nil)?.refreshToken == "x/refresh/refreshed-1")
        #expect(user.refreshToken == "x/refresh/refreshed-1")
        #expect(app.identity.refreshes == 1)
    }

    @Test("Unsaved tokens are saved by the call that unlocks the keyring")
    func savedByUnlock() async throws {
        let world = try AppFixture()
        let (app, user) = try await unsaved(Fault(), world)
        try await app.auth.unlock()
        #expect(try TestApp(world).auth.getStoredUser(forAccessGroup: nil)?.refreshToken == "x/refresh/refreshed-1")
        #expect(user.refreshToken == "x/refresh/refreshed-1")
    }

    @Test("Newer tokens that arrive during a save replace the saved ones")
    func newerWhileSaving() async throws {
        let world = try AppFixture()
        let nextWrite = Mutex<Work?>(nil)
        let interceptor = CallInterceptor { call, _ in
            call.member == "CreateItem" ? nextWrite.withLock { $0.take() }?.call() : nil
        }
        let app = try TestApp(world, interceptor: interceptor)
        let user = try await app.signIn("x")
        let stored = user.snapshot.tokens
        nextWrite.withLock {
            $0 = Work { SecretServiceError(code: .protocolViolation, message: "The test lets it fail.") }
        }
        await expectFailure(.keychainError) { _ = try await user.getIDToken(forcingRefresh: true) }
        let newer = UserTokens.scripted("x", "newer")
        nextWrite.withLock { next in
            next = Work {
                app.auth.engine.unsavedTokens.keep(newer, over: stored, of: user.id, in: .own)
                return nil
            }
        }
        #expect(app.auth.engine.rereadSlot() == false)
        #expect(user.refreshToken == "x/refresh/newer")
        #expect(try TestApp(world).auth.getStoredUser(forAccessGroup: nil)?.refreshToken == "x/refresh/refreshed-1")
        #expect(app.auth.engine.rereadSlot() == false)
        #expect(try TestApp(world).auth.getStoredUser(forAccessGroup: nil)?.refreshToken == "x/refresh/newer")
        #expect(app.auth.engine.unsavedTokens.entry(of: user.id, in: .own) == nil)
    }

    /// An action at a write, and the error that the write fails with. (Stored in a struct to avoid a reabstraction
    /// thunk on each access through a lock.)
    private struct Work {
        let call: @Sendable () -> SecretServiceError?

        init(_ call: @escaping @Sendable () -> SecretServiceError?) { self.call = call }
    }

    @Test("A further refresh uses unsaved tokens, and its result is saved over the slot's")
    func refreshedAgain() async throws {
        let world = try AppFixture()
        let fault = Fault()
        let (app, user) = try await unsaved(fault, world)
        // The save before the exchange fails, too; the one after it does not.
        fault.fail("CreateItem")
        #expect(try await user.getIDToken(forcingRefresh: true) == "x/id/refreshed-2")
        #expect(user.refreshToken == "x/refresh/refreshed-2")
        #expect(try TestApp(world).auth.getStoredUser(forAccessGroup: nil)?.refreshToken == "x/refresh/refreshed-2")
        #expect(app.auth.engine.unsavedTokens.entry(of: user.id, in: .own) == nil)
    }

    @Test("A timer's retry does not mistake a valid token in memory for a saved one")
    func retried() async throws {
        let world = try AppFixture()
        let (app, user) = try await unsaved(Fault(), world)
        try await app.auth.engine.keepFresh(user)
        #expect(try TestApp(world).auth.getStoredUser(forAccessGroup: nil)?.refreshToken == "x/refresh/refreshed-1")
        #expect(app.identity.refreshes == 1)
    }

    @Test("Unsaved tokens do not replace a peer's newer ones, which are adopted")
    func peerIsNewer() async throws {
        let world = try AppFixture()
        let (app, user) = try await unsaved(Fault(), world)
        try world.put(world.account("x", "peer"), in: nil, appID: "com.example.Mail")
        _ = app.auth.engine.rereadSlot()
        #expect(user.refreshToken == "x/peer")
        #expect(try TestApp(world).auth.getStoredUser(forAccessGroup: nil)?.refreshToken == "x/peer")
    }

    @Test("An exchange's tokens are not saved over tokens that arrived meanwhile")
    func peerDuringExchange() async throws {
        let world = try AppFixture()
        let app = try TestApp(world)
        let user = try await app.signIn("x")
        app.identity.duringRefresh { try? world.put(world.account("x", "peer"), in: nil, appID: "com.example.Mail") }
        _ = try await user.getIDToken(forcingRefresh: true)
        #expect(user.refreshToken == "x/peer")
        #expect(try TestApp(world).auth.getStoredUser(forAccessGroup: nil)?.refreshToken == "x/peer")
    }

    @Test("A sign-out drops unsaved tokens, so no user returns")
    func signedOut() async throws {
        let world = try AppFixture()
        let (app, user) = try await unsaved(Fault(), world)
        try app.auth.signOut()
        #expect(app.auth.engine.unsavedTokens.entries(in: .own).isEmpty)
        _ = app.auth.engine.rereadSlot()
        #expect(try TestApp(world).auth.getStoredUser(forAccessGroup: nil) == nil)
        #expect(app.auth.engine.unsavedTokens.entry(of: user.id, in: .own) == nil)
    }

    @Test(
        "A hanging provider reaches its own time limit, and its late response is saved",
        .timeLimit(.minutes(5))
    )
    func late() async throws {
        let world = try AppFixture()
        let app = try TestApp(world) { $0.identityTimeout = .seconds(3) }
        let user = try await app.signIn("x")
        let (gate, opener) = AsyncStream<Void>.makeStream()
        app.identity.duringRefresh { for await _ in gate { break } }
        let error = await expectFailure(.timedOut) { _ = try await user.getIDToken(forcingRefresh: true) }
        #expect(error?.message.contains("within 3 seconds") == true)
        #expect(app.auth.currentUser === user)
        // The turn soon becomes free for other processes, although the response is still pending.
        let peer = try TestApp(world)
        #expect(try await peer.auth.currentUser?.getIDToken(forcingRefresh: true) == "x/id/refreshed-1")
        try world.put(user.snapshot, in: nil, appID: "com.example.Mail")
        await savedTokens(of: app, "refreshed") { opener.yield() }
        #expect(try TestApp(world).auth.getStoredUser(forAccessGroup: nil)?.refreshToken == user.refreshToken)
        #expect(user.refreshToken?.contains("refreshed") == true)
    }

    /// Releases a response and waits until a listener gets its tokens, which are saved before that.
    private func savedTokens(of app: TestApp, _ name: String, _ answer: () -> Void) async {
        let (heard, listener) = AsyncStream<String?>.makeStream()
        let handle = app.auth.addIDTokenDidChangeListener { _, user in listener.yield(user?.refreshToken) }
        defer { app.auth.removeIDTokenDidChangeListener(handle) }
        var tokens = heard.makeAsyncIterator()
        // A listener's first call has the present state, perhaps with tokens that are still to be saved.
        _ = await tokens.next()
        answer()
        while let token = await tokens.next(), token?.contains(name) != true {}
    }

    @Test(
        "A change that times out has an unknown outcome; its late tokens are saved",
        .timeLimit(.minutes(5))
    )
    func lateChange() async throws {
        let world = try AppFixture()
        let server = ScriptedServer()
        let app = try TestApp(world) { options in
            options.identityProvider = server.source
            options.identityTimeout = .seconds(3)
        }
        server.answer(.server("x", .server("x", "1")))
        let user = try await app.auth.signIn(withEmail: "ada@example.com", password: "secret").user
        let (gate, opener) = AsyncStream<Void>.makeStream()
        server.duringCalls { for await _ in gate { break } }
        server.answer(.server("x", .server("x", "2")))
        await expectFailure(.outcomeUnknown) { try await user.updatePassword(to: "secret-2") }
        await savedTokens(of: app, "x/refresh/2") { opener.yield() }
        #expect(try TestApp(world).auth.getStoredUser(forAccessGroup: nil)?.refreshToken == "x/refresh/2")
    }

    @Test(
        "During an exchange no other begins, even after its app has timed out",
        .timeLimit(.minutes(5))
    )
    func turnOfLateExchange() async throws {
        let world = try AppFixture()
        let app = try TestApp(world) { ($0.identityTimeout, $0.longestExchange) = (.seconds(3), .seconds(300)) }
        let user = try await app.signIn("x")
        let other = try TestApp(world)
        let stale = try #require(other.auth.currentUser)
        let (gate, opener) = AsyncStream<Void>.makeStream()
        app.identity.duringRefresh { for await _ in gate { break } }
        await expectFailure(.timedOut) { _ = try await user.getIDToken(forcingRefresh: true) }
        let key = try world.key(nil)
        expectFailure(\RecordStoreError.code, .timedOut) {
            _ = try other.store.acquire("refresh", for: key, by: .after(.milliseconds(100)))
        }
        opener.yield()
        #expect(try await stale.getIDToken(forcingRefresh: true) == "x/id/refreshed-1")
        #expect(app.identity.refreshes == 1 && other.identity.refreshes == 0)
    }

    @Test("A wait for another's exchange exceeds a keyring call's time and gets its result")
    func exchangeOutlasted() async throws {
        let world = try AppFixture()
        let app = try TestApp(world)
        let user = try await app.signIn("x")
        let (begun, signal) = AsyncStream<Void>.makeStream()
        let (gate, opener) = AsyncStream<Void>.makeStream()
        app.identity.duringRefresh {
            signal.yield()
            for await _ in gate { break }
        }
        let exchange = Task { try await user.getIDToken(forcingRefresh: true) }
        for await _ in begun { break }
        let other = try TestApp(world, timeout: .seconds(5))
        let stale = try #require(other.auth.currentUser)
        let waiting = Task { try await stale.getIDToken(forcingRefresh: true) }
        // By now a keyring call would have timed out; the wait has not.
        let key = try world.key(nil)
        expectFailure(\RecordStoreError.code, .timedOut) {
            _ = try other.store.acquire("refresh", for: key, by: .after(.seconds(6)))
        }
        opener.yield()
        #expect(try await exchange.value == "x/id/refreshed-1")
        #expect(try await waiting.value == "x/id/refreshed-1")
        #expect(app.identity.refreshes == 1 && other.identity.refreshes == 0)
    }

    @Test("An absurd expiry crashes no process", arguments: [1e300, -1e300, 1e17, -1e17])
    func absurdExpiry(expiry: Double) async throws {
        let world = try AppFixture()
        var account = world.account("x")
        account.tokens = UserTokens(
            idToken: "x/id/1",
            refreshToken: "x/refresh/1",
            expirationDate: Date(timeIntervalSinceReferenceDate: expiry)
        )
        try world.put(account, in: nil, appID: "com.example.Mail")
        let delays = Mutex<[Duration]>([])
        let app = try TestApp(world) { options in
            options.refreshesTokens = true
            options.schedule = { remaining, _ in
                delays.withLock { $0.append(remaining()) }
                return {}
            }
        }
        let user = try #require(app.auth.currentUser)
        _ = try await user.getIDToken()
        #expect(delays.withLock { $0.allSatisfy { $0 >= .zero && $0 <= .seconds(30 * 24 * 3600) } })
    }

    @Test("An older copy made current by hand does not replace the slot's newer tokens")
    func olderCopy() async throws {
        let world = try AppFixture()
        let app = try TestApp(world)
        let copy = User(try await app.signIn("x").snapshot, auth: nil, slot: nil)
        _ = try await app.auth.currentUser?.getIDToken(forcingRefresh: true)
        try await app.auth.updateCurrentUser(copy)
        #expect(app.auth.currentUser === copy)
        #expect(copy.refreshToken == "x/refresh/refreshed-1")
        #expect(try app.auth.getStoredUser(forAccessGroup: nil)?.refreshToken == "x/refresh/refreshed-1")
    }
}

/// Tests profiles that the keyring could not store.
struct UnsavedProfileTests {
    @Test("A profile change or reload that cannot be saved leaves the user unchanged", arguments: [true, false])
    func unsaved(isChange: Bool) async throws {
        let fault = Fault()
        let app = try await TestApp.signedIn("x", interceptor: fault.interceptor)
        let user = try #require(app.auth.currentUser)
        app.identity.setProfile(UserProfile(uid: "x", displayName: "New"))
        let change = user.createProfileChangeRequest()
        change.displayName = "New"
        fault.fail("CreateItem", as: .noDaemon)
        await expectFailure(.keyringUnavailable) {
            if isChange { try await change.commitChanges() } else { try await user.reload() }
        }
        #expect(user.displayName == nil)
        #expect(try app.auth.getStoredUser(forAccessGroup: nil)?.displayName == nil)

        if isChange { try await change.commitChanges() } else { try await user.reload() }
        #expect(user.displayName == "New")
        #expect(try app.auth.getStoredUser(forAccessGroup: nil)?.displayName == "New")
    }
}
