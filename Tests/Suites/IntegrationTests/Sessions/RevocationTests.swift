import Foundation
import Synchronization
import TestSupport
import Testing

@testable import SharedAuth

/// Tests the requests of a sign-out to the identity provider.
struct RevocationTests {
    static let group = "group.example.revoke"

    /// Returns a server with an issuer that no other test uses, since sessions are searched in all projects.
    private static func server() -> ScriptedServer { ScriptedServer(issuer: "https://\(UUID()).example") }

    private func app(
        _ world: AppFixture,
        _ server: ScriptedServer,
        _ appID: String = "com.example.Mail",
        in group: String? = group
    ) throws -> TestApp {
        let app = try TestApp(world, appID: appID) { options in
            options.identityProvider = server.source
            options.keepsOtherUsers = true
        }
        try app.auth.useUserAccessGroup(group)
        return app
    }

    @discardableResult
    private func signIn(_ uid: String, _ app: TestApp, _ server: ScriptedServer) async throws -> User {
        server.answer(.server(uid, .server(uid, "1")))
        return try await app.auth.signIn(withEmail: "ada@example.com", password: "secret").user
    }

    enum Way: CaseIterable { case awaited, uid, all }

    @Test("An awaited sign-out revokes the session once, with its refresh token", arguments: Way.allCases)
    func awaited(way: Way) async throws {
        let server = Self.server()
        let app = try app(AppFixture(), server)
        try await signIn("x", app, server)
        switch way {
        case .awaited: try await app.auth.signOut(timeout: .seconds(20))
        case .uid: try await app.auth.signOut(uid: "x")
        case .all: try await app.auth.signOutAll()
        }
        #expect(app.auth.currentUser == nil)
        #expect(server.calls == ["sign-in password", "revoke x/refresh/1"])
    }

    @Test("After one app refreshes and the other signs out, the newest session is revoked")
    func group() async throws {
        let world = try AppFixture()
        let server = Self.server()
        let (mail, calendar) = (try app(world, server), try app(world, server, "com.example.Calendar"))
        _ = try await signIn("x", mail, server).getIDToken(forcingRefresh: true)
        try calendar.auth.useUserAccessGroup(Self.group)
        try await calendar.auth.signOut(timeout: .seconds(20))
        #expect(try mail.stored(Self.group) == nil)
        #expect(server.calls.last == "revoke x/refresh/1")
        #expect(server.calls.filter { $0.hasPrefix("revoke") }.count == 1)
    }

    @Test("A sign-out that does not wait completes while the provider hangs, then revokes")
    func background() async throws {
        let server = Self.server()
        let app = try app(AppFixture(), server)
        try await signIn("x", app, server)
        _ = app.announcements()
        let (begun, beginner) = AsyncStream<Void>.makeStream()
        let (gate, opener) = AsyncStream<Void>.makeStream()
        server.duringCalls {
            beginner.yield()
            for await _ in gate { break }
        }
        try app.auth.signOut()
        #expect(app.auth.currentUser == nil)
        #expect(app.announcements() == .both(nil))
        for await _ in begun { break }
        #expect(server.calls.last == "revoke x/refresh/1")
        opener.yield()
    }

    @Test("A revocation that fails is reported, and the user is signed out anyway")
    func failure() async throws {
        let server = Self.server()
        let app = try app(AppFixture(), server)
        try await signIn("x", app, server)
        _ = app.announcements()
        server.fail(.networkError)
        let error = await expectFailure(.sessionNotRevoked) { try await app.auth.signOut(timeout: .seconds(20)) }
        #expect((error?.underlying as? AuthError)?.code == .networkError)
        #expect(app.auth.currentUser == nil)
        #expect(app.announcements() == .both(nil))
        #expect(try app.stored(Self.group) == nil)
    }

    @Test("A failed sign-out revokes nothing")
    func notSignedOut() async throws {
        let (server, fault) = (Self.server(), Fault())
        let app = try TestApp(AppFixture(), interceptor: fault.interceptor) { $0.identityProvider = server.source }
        try await signIn("x", app, server)
        fault.fail("Delete")
        await expectFailure(.keychainError) { try await app.auth.signOut(timeout: .seconds(20)) }
        #expect(app.auth.currentUser?.uid == "x")
        #expect(server.calls == ["sign-in password"])
    }

    @Test("A session that another slot uses is kept, and revoked by the last sign-out")
    func copies() async throws {
        let world = try AppFixture()
        let server = Self.server()
        let (own, shared) = (try app(world, server, in: nil), try app(world, server, "com.example.Calendar"))
        let user = try await signIn("x", own, server)
        let copy = User(user.snapshot, auth: nil, slot: nil)
        try await shared.auth.updateCurrentUser(copy)
        try await own.auth.signOut(timeout: .seconds(20))
        #expect(try own.stored(nil) == nil)
        #expect(server.calls == ["sign-in password"])
        try await shared.auth.signOut(timeout: .seconds(20))
        #expect(server.calls == ["sign-in password", "revoke x/refresh/1"])
    }

    /// Returns tokens whose ID token has the time of the sign-in.
    private static func tokens(_ uid: String, signedInAt time: Int) -> UserTokens {
        let claims = Data(#"{"sub":"\#(uid)","auth_time":\#(time)}"#.utf8).base64EncodedString()
        let payload = claims.replacing("=", with: "").replacing("+", with: "-").replacing("/", with: "_")
        return UserTokens(
            idToken: "e30.\(payload).e30",
            refreshToken: "\(uid)/refresh/\(time)",
            expirationDate: .now + 3600
        )
    }

    @Test("A session is kept while the same user has another: a provider might end both")
    func otherSignIn() async throws {
        let world = try AppFixture()
        let server = Self.server()
        let (own, shared) = (try app(world, server, in: nil), try app(world, server, "com.example.Calendar"))
        for (app, time) in [(own, 1000), (shared, 2000)] {
            server.answer(.server("x", Self.tokens("x", signedInAt: time)))
            _ = try await app.auth.signIn(withEmail: "ada@example.com", password: "secret")
        }
        try await own.auth.signOut(timeout: .seconds(20))
        #expect(server.calls.allSatisfy { !$0.hasPrefix("revoke") })
        try await shared.auth.signOut(timeout: .seconds(20))
        #expect(server.calls.last == "revoke x/refresh/2000")
    }

    @Test("A sign-in that cannot be stored is revoked, since no one else has its session", .timeLimit(.minutes(2)))
    func notStored() async throws {
        let (server, fault) = (Self.server(), Fault())
        let app = try TestApp(AppFixture(), interceptor: fault.interceptor) { $0.identityProvider = server.source }
        let (revocations, signal) = AsyncStream<Void>.makeStream()
        server.duringCalls { if server.calls.last?.hasPrefix("revoke") == true { signal.yield() } }
        fault.fail("CreateItem")
        await expectFailure(.keychainError) { try await signIn("x", app, server) }
        for await _ in revocations { break }
        #expect(server.calls == ["sign-in password", "revoke x/refresh/1"])
        #expect(app.auth.currentUser == nil)
    }

    @Test("An unstored sign-in with the app's own tokens is not revoked, so it can retry", .timeLimit(.minutes(2)))
    func notStoredOfTheApp() async throws {
        let (server, fault) = (Self.server(), Fault())
        let app = try TestApp(AppFixture(), interceptor: fault.interceptor) { $0.identityProvider = server.source }
        let tokens = OAuthCredential(providerID: "x", idToken: "x/id/1", refreshToken: "x/refresh/1")
        let credential = OAuthProvider.credential(tokens)
        server.answer(.server("x", .server("x", "1")))
        fault.fail("CreateItem")
        await expectFailure(.keychainError) { try await app.auth.signIn(with: credential) }
        fault.disarm()
        server.answer(.server("x", .server("x", "1")))
        try await app.auth.signIn(with: credential)
        try await app.auth.signOut(timeout: .seconds(20))
        #expect(server.calls == ["sign-in x", "sign-in x", "revoke x/refresh/1"])
    }

    @Test("A sign-in whose response arrives after its time-out is revoked", .timeLimit(.minutes(2)))
    func answeredLate() async throws {
        let server = Self.server()
        let app = try TestApp(AppFixture()) { options in
            options.identityProvider = server.source
            options.identityTimeout = .seconds(1)
        }
        let (gate, opener) = AsyncStream<Void>.makeStream()
        let (revocations, signal) = AsyncStream<Void>.makeStream()
        server.duringCalls {
            if server.calls.last?.hasPrefix("revoke") == true { return _ = signal.yield() }
            for await _ in gate { break }
        }
        await expectFailure(.timedOut) { try await signIn("x", app, server) }
        opener.yield()
        for await _ in revocations { break }
        #expect(server.calls == ["sign-in password", "revoke x/refresh/1"])
        #expect(app.auth.currentUser == nil)
    }

    @Test("A session that another Auth of the same app uses is kept until its sign-out")
    func copiesElsewhere() async throws {
        // A private keyring: other tests' changes to a shared one would interfere.
        let world = try AppFixture(try PrivateKeyring())
        let server = Self.server()
        let mail = try app(world, server, in: nil)
        var options = AuthApp.Options(
            appID: "com.example.Mail",
            project: world.project,
            identityProvider: server.source,
            store: .custom(mail.store),
            listenerExecutor: .dispatchQueue(mail.queue),
            stateDirectory: world.state,
            observesOtherProcesses: false
        )
        options.timeout = .seconds(20)
        let other = try AuthApp(name: "work", unregistered: options)
        let user = try await signIn("x", mail, server)
        try await other.auth.updateCurrentUser(User(user.snapshot, auth: nil, slot: nil))
        try await mail.auth.signOut(timeout: .seconds(20))
        #expect(server.calls.allSatisfy { !$0.hasPrefix("revoke") })
        try await other.auth.signOut(timeout: .seconds(20))
        #expect(server.calls.last == "revoke x/refresh/1")
    }

    @Test("A record of a newer version in another slot does not prevent revocation")
    func newerSlot() async throws {
        let world = try AppFixture()
        let server = Self.server()
        let app = try app(world, server)
        try await signIn("x", app, server)
        let other = try world.key("group.example.newer")
        try world.plant(Damage.sealed("{\"version\":999,\"anything\":[1]}".utf8, for: other), in: other)
        try await app.auth.signOut(timeout: .seconds(20))
        #expect(app.auth.currentUser == nil)
        #expect(server.calls == ["sign-in password", "revoke x/refresh/1"])
    }

    @Test(
        "Several sessions are revoked at the same time and share one time limit",
        .timeLimit(.minutes(2))
    )
    func parallel() async throws {
        let server = Self.server()
        let app = try app(AppFixture(), server)
        for uid in ["x", "y", "z"] { try await signIn(uid, app, server) }
        let (begun, beginner) = AsyncStream<Void>.makeStream()
        let gate = Gate()
        server.duringCalls {
            beginner.yield()
            await gate.wait()
        }
        let signOut = Task { try await app.auth.signOutAll() }
        var calls = begun.makeAsyncIterator()
        for _ in 0..<3 { await calls.next() }
        gate.open()
        try await signOut.value
        #expect(Set(server.calls.suffix(3)) == ["revoke x/refresh/1", "revoke y/refresh/1", "revoke z/refresh/1"])
    }

    @Test("Sessions of other projects do not prevent revocation")
    func otherProject() async throws {
        let (world, other) = (try AppFixture(), try AppFixture())
        let server = Self.server()
        let foreign = try app(other, server)
        server.answer(.server("x", .server("x", "other")))
        _ = try await foreign.auth.signIn(withEmail: "ada@example.com", password: "secret")
        let key = try other.key("group.example.newer")
        try other.plant(Damage.sealed("{\"version\":999,\"anything\":[1]}".utf8, for: key), in: key)
        let app = try app(world, server)
        try await signIn("x", app, server)
        try await app.auth.signOut(timeout: .seconds(20))
        #expect(server.calls.last == "revoke x/refresh/1")
    }

    /// Lets all waiters pass once it is open.
    private final class Gate: Sendable {
        private let state = Mutex((isOpen: false, waiting: [CheckedContinuation<Void, Never>]()))

        func wait() async {
            await withCheckedContinuation { continuation in
                let isOpen = state.withLock { state in
                    if !state.isOpen { state.waiting.append(continuation) }
                    return state.isOpen
                }
                if isOpen { continuation.resume() }
            }
        }

        func open() {
            let waiting = state.withLock { state in
                defer { state = (true, []) }
                return state.waiting
            }
            for continuation in waiting { continuation.resume() }
        }
    }

    @Test("Another issuer's session is not revoked, nor are those of users who stay")
    func others() async throws {
        let world = try AppFixture()
        let (server, other) = (Self.server(), ScriptedServer(issuer: "https://other.example"))
        let (mail, foreign) = (try app(world, server), try app(world, other, "com.example.Other"))
        try await signIn("x", mail, server)
        try await signIn("y", mail, server)
        try foreign.auth.useUserAccessGroup(Self.group)
        try await foreign.auth.signOut(timeout: .seconds(20))
        #expect(try mail.stored(Self.group) == nil)
        #expect(other.calls.isEmpty)
        #expect(server.calls == ["sign-in password", "sign-in password"])
    }
}
