import Foundation
import Synchronization
import TestSupport
import Testing

@testable import SharedAuth

/// Tests sign-ins whose result cannot be kept: nothing is requested, or the session ends before the call does.
struct UnkeptGrantTests {
    static let group = "group.example.unkept"

    /// The ways to sign in, or to get other tokens.
    enum Way: CaseIterable { case password, newAccount, anonymous, customToken, link, browser, addition, renewal }

    /// The reasons why a keyring keeps nothing.
    enum Trouble: CaseIterable {
        case locked, gone

        var code: AuthErrorCode { self == .locked ? .keyringLocked : .keyringUnavailable }

        func begin(in keyring: PrivateKeyring) throws {
            switch self {
            case .locked: try keyring.lock()
            case .gone: try keyring.killDaemon()
            }
        }
    }

    /// A browser whose user signs in at once, with a session that is counted.
    final class Browser: FederatedAuthProvider {
        let providerID = "github.com"
        let live = Mutex<Set<String>>([])
        let openings = Mutex(0)

        func credential() async throws(AuthError) -> AuthCredential {
            let token = openings.withLock { openings in
                openings += 1
                return "session-\(openings)"
            }
            live.withLock { _ = $0.insert(token) }
            return OAuthProvider.credential(OAuthCredential(providerID: providerID, idToken: "i", refreshToken: token))
        }

        func discard(_ credential: AuthCredential) async {
            guard case .oauth(let content) = credential.content, let token = content.refreshToken else { return }
            live.withLock { _ = $0.remove(token) }
        }
    }

    /// An app on a keyring of its own, with a user who was signed in before.
    private func app(_ keyring: PrivateKeyring, _ server: ScriptedServer) async throws -> (app: TestApp, user: User) {
        let app = try TestApp(AppFixture(keyring)) { $0.identityProvider = server.source }
        try app.auth.useUserAccessGroup(Self.group)
        server.answer(.server("x", .server("x", "0")))
        let user = try await app.auth.signIn(withEmail: "ada@example.com", password: "secret").user
        _ = server.takeCalls()
        return (app, user)
    }

    private func attempt(_ way: Way, _ app: TestApp, _ user: User, _ browser: Browser) async throws {
        let auth = app.auth
        switch way {
        case .password: try await auth.signIn(withEmail: "ada@example.com", password: "secret")
        case .newAccount: try await auth.createUser(withEmail: "ada@example.com", password: "secret")
        case .anonymous: try await auth.signInAnonymously()
        case .customToken: try await auth.signIn(withCustomToken: "token")
        case .link: try await auth.signIn(with: AuthCredential(provider: "link", content: .customToken("code")))
        case .browser: try await auth.signIn(with: browser)
        case .addition: try await user.link(with: browser)
        case .renewal: try await user.reauthenticate(with: browser)
        }
    }

    @Test(
        "With a locked or absent keyring nothing is requested, and no browser opens",
        arguments: Way.allCases,
        Trouble.allCases
    )
    func before(way: Way, trouble: Trouble) async throws {
        let keyring = try PrivateKeyring()
        let (server, browser) = (ScriptedServer(), Browser())
        let (app, user) = try await app(keyring, server)
        try trouble.begin(in: keyring)
        server.answer(.server("y", .server("y", "1")))
        await expectFailure(trouble.code) { try await attempt(way, app, user, browser) }
        #expect(server.calls.isEmpty)
        #expect(browser.openings.withLock { $0 } == 0)
        #expect(app.auth.currentUser === user)
    }

    @Test(
        "If the keyring is lost during a sign-in, the session is revoked before the call fails",
        .timeLimit(.minutes(2)),
        arguments: [Way.password, .customToken, .link],
        Trouble.allCases
    )
    func between(way: Way, trouble: Trouble) async throws {
        let keyring = try PrivateKeyring()
        let (server, browser) = (ScriptedServer(), Browser())
        let (app, user) = try await app(keyring, server)
        let isLost = Mutex(false)
        server.duringCalls {
            let isFirst = isLost.withLock { isLost in
                defer { isLost = true }
                return !isLost
            }
            if isFirst { try? trouble.begin(in: keyring) }
        }
        server.answer(.server("y", .server("y", "1")))
        await expectFailure(trouble.code) { try await attempt(way, app, user, browser) }
        #expect(server.calls.last == "revoke y/refresh/1")
        #expect(app.auth.currentUser === user)
    }

    @Test(
        "The session behind a browser's credential ends if the identity provider refuses it",
        arguments: [false, true]
    )
    func refused(isStored: Bool) async throws {
        let keyring = try PrivateKeyring()
        let (server, browser) = (ScriptedServer(), Browser())
        let (app, user) = try await app(keyring, server)
        server.fail(.invalidCredential)
        await expectFailure(.invalidCredential) {
            try await attempt(isStored ? .addition : .browser, app, user, browser)
        }
        #expect(browser.live.withLock { $0.isEmpty })
        #expect(app.auth.currentUser === user)
        // One that is used stays.
        server.answer(.server("y", .server("y", "1")))
        try await app.auth.signIn(with: browser)
        #expect(browser.live.withLock { $0 } == ["session-2"])
    }

    @Test("If the keyring is locked while the browser is open, both sessions end")
    func browserBetween() async throws {
        let keyring = try PrivateKeyring()
        let (server, browser) = (ScriptedServer(), Browser())
        let (app, user) = try await app(keyring, server)
        server.duringCalls { if server.calls.last == "sign-in github.com" { try? keyring.lock() } }
        server.answer(.server("y", .server("y", "1")))
        await expectFailure(.keyringLocked) { try await attempt(.browser, app, user, browser) }
        #expect(server.calls == ["sign-in github.com", "revoke y/refresh/1"])
        #expect(browser.live.withLock { $0.isEmpty })
    }

    @Test("The same user's second session is kept in memory, saved after the unlock, and no session is revoked")
    func sameUser() async throws {
        let keyring = try PrivateKeyring()
        let server = ScriptedServer()
        let (app, user) = try await app(keyring, server)
        server.duringCalls { if server.calls.last == "sign-in password" { try? keyring.lock() } }
        server.answer(.server("x", .server("x", "1")))
        await expectFailure(.keyringLocked) {
            try await app.auth.signIn(withEmail: "ada@example.com", password: "secret")
        }
        #expect(server.calls == ["sign-in password"])
        #expect(app.auth.currentUser === user)
        try keyring.restartDaemon()
        _ = app.auth.engine.rereadSlot()
        #expect(user.refreshToken == "x/refresh/1")
        #expect(try app.auth.getStoredUser(forAccessGroup: Self.group)?.refreshToken == "x/refresh/1")
        #expect(app.auth.engine.unsavedTokens.entries(in: .group(Self.group)).isEmpty)
    }

    @Test("A store that becomes full during a sign-in leaves no session; one that is full before is told at once")
    func full() async throws {
        let store = FaultInjectingStore()
        let server = ScriptedServer()
        let app = try TestApp(AppFixture()) { options in
            options.identityProvider = server.source
            options.store = .custom(store)
        }
        let full = RecordStoreError(.full, "No space is left.")
        store.fail(.write, times: 1, with: full)
        server.answer(.server("y", .server("y", "1")))
        await expectFailure(.storeFull) {
            try await app.auth.signIn(withEmail: "ada@example.com", password: "secret")
        }
        #expect(server.takeCalls() == ["sign-in password", "revoke y/refresh/1"])
        store.fail(.check, times: 1, with: full)
        await expectFailure(.storeFull) {
            try await app.auth.signIn(withEmail: "ada@example.com", password: "secret")
        }
        #expect(server.calls.isEmpty)
    }

    @Test("A sign-in reads the slot once more than before, and asks the store once")
    func roundTrips() async throws {
        let store = FaultInjectingStore()
        let server = ScriptedServer()
        let app = try TestApp(AppFixture()) { options in
            options.identityProvider = server.source
            options.store = .custom(store)
        }
        _ = await app.auth.ready()
        store.takeCalls()
        server.answer(.server("y", .server("y", "1")))
        try await app.auth.signIn(withEmail: "ada@example.com", password: "secret")
        #expect(store.takeCalls() == [.read, .check, .update])
    }

    @Test("A full record that keeps its users is told before the identity provider is asked")
    func longRecord() async throws {
        let server = ScriptedServer()
        let app = try TestApp(AppFixture()) { options in
            options.identityProvider = server.source
            options.keepsOtherUsers = true
        }
        let large = String(repeating: "t", count: 10_580)
        for uid in ["a", "b", "c"] {
            server.answer(.server(uid, .server(uid, large)))
            try await app.auth.signIn(withEmail: "ada@example.com", password: "secret")
        }
        _ = server.takeCalls()
        await expectFailure(.storeFull) {
            try await app.auth.signIn(withEmail: "ada@example.com", password: "secret")
        }
        #expect(server.calls.isEmpty)
    }

    @Test("A damaged record does not stop a sign-in, which sets it aside")
    func damaged() async throws {
        let world = try AppFixture()
        let server = ScriptedServer()
        let app = try TestApp(world) { $0.identityProvider = server.source }
        try world.plant(Array("SharedAuth1.broken".utf8), in: world.key(nil))
        server.answer(.server("y", .server("y", "1")))
        try await app.auth.signIn(withEmail: "ada@example.com", password: "secret")
        #expect(try app.stored(nil) == "y")
    }
}
