import TestSupport
import Testing

@testable import SharedAuth

/// Tests changes of an account: the requests to the identity provider and the handling of new tokens.
struct AccountOperationTests {
    static let group = "group.example.operations"

    enum Act: CaseIterable { case link, unlink, reauthenticate, email, password, name }

    private func perform(_ act: Act, _ user: User) async throws {
        switch act {
        case .link:
            try await user.link(with: EmailAuthProvider.credential(withEmail: "a@example.com", password: "secret"))
        case .unlink: try await user.unlink(fromProvider: "github.com")
        case .reauthenticate:
            try await user.reauthenticate(with: EmailAuthProvider.credential(withEmail: "a@example.com", password: "s"))
        case .email: try await user.updateEmail(to: "b@example.com")
        case .password: try await user.updatePassword(to: "secret-2")
        case .name:
            let request = user.createProfileChangeRequest()
            request.displayName = "Ada"
            try await request.commitChanges()
        }
    }

    private func app(
        _ world: AppFixture,
        _ server: ScriptedServer,
        _ appID: String = "com.example.Mail"
    ) throws -> TestApp {
        let app = try TestApp(world, appID: appID) { $0.identityProvider = server.source }
        try app.auth.useUserAccessGroup(Self.group)
        return app
    }

    private func signIn(_ app: TestApp, _ server: ScriptedServer, _ token: String = "1") async throws -> User {
        server.answer(.server("x", .server("x", token), providers: ["github.com"]))
        let user = try await app.auth.signIn(withEmail: "a@example.com", password: "secret").user
        _ = (app.announcements(), server.takeCalls())
        return user
    }

    @Test("New tokens and profile are stored together, for every app of the group", arguments: Act.allCases)
    func stored(act: Act) async throws {
        let world = try AppFixture()
        let server = ScriptedServer()
        let app = try app(world, server)
        let user = try await signIn(app, server)
        server.answer(.server("x", .server("x", "2"), providers: ["elsewhere.example"]))
        try await perform(act, user)
        #expect(server.calls.count == 1)
        #expect(app.auth.currentUser === user)
        #expect(user.refreshToken == "x/refresh/2")
        #expect(user.providerData.map(\.providerID) == ["elsewhere.example"])
        #expect(app.announcements() == .token("x"))
        let record = try world.record(Self.group, appID: "com.example.Mail")
        #expect(record.currentAccount?.tokens.refreshToken == "x/refresh/2")
        #expect(record.currentAccount?.profile == user.snapshot.profile)
    }

    @Test("A response for another user changes nothing", arguments: Act.allCases)
    func otherUser(act: Act) async throws {
        let world = try AppFixture()
        let server = ScriptedServer()
        let app = try app(world, server)
        let user = try await signIn(app, server)
        let before = try world.contents()
        server.answer(.server("y", .server("y", "2")))
        await expectFailure(.userMismatch) { try await perform(act, user) }
        #expect(try world.contents() == before)
        #expect(app.auth.currentUser === user)
        #expect(user.refreshToken == "x/refresh/1")
    }

    @Test(
        "An error that ends the session signs the user out, except when reauthenticating",
        arguments: [AuthErrorCode.userTokenExpired, .userDisabled],
        Act.allCases
    )
    func ended(code: AuthErrorCode, act: Act) async throws {
        let server = ScriptedServer()
        let app = try app(AppFixture(), server)
        let user = try await signIn(app, server)
        server.fail(code)
        await expectFailure(code) { try await perform(act, user) }
        #expect((app.auth.currentUser == nil) == (act != .reauthenticate))
    }

    @Test("Reauthenticating a missing account is userMismatch; after expiry it works")
    func reauthenticates() async throws {
        let server = ScriptedServer()
        let app = try app(AppFixture(), server)
        server.answer(.server("x", .server("x", "1", hasRefreshToken: false, lasting: -1)))
        let user = try await app.auth.signIn(withEmail: "a@example.com", password: "secret").user
        server.fail(.userNotFound)
        await expectFailure(.userMismatch) { try await perform(.reauthenticate, user) }
        #expect(app.auth.currentUser === user)
        server.answer(.server("x", .server("x", "2")))
        try await perform(.reauthenticate, user)
        #expect(try await user.getIDToken() == "x/id/2")
    }

    @Test("Linking a linked provider or unlinking an absent one makes no call")
    func withoutCall() async throws {
        let server = ScriptedServer()
        let app = try app(AppFixture(), server)
        let user = try await signIn(app, server)
        await expectFailure(.providerAlreadyLinked) {
            try await user.link(with: OAuthProvider.credential(OAuthCredential(providerID: "github.com")))
        }
        await expectFailure(.noSuchProvider) { try await user.unlink(fromProvider: "password") }
        await expectFailure(.weakPassword) { try await user.updatePassword(to: "") }
        #expect(server.calls.isEmpty)
    }

    @Test("A peer's refresh waits for a change that brings new tokens, and adopts them")
    func refreshMeanwhile() async throws {
        let world = try AppFixture()
        let server = ScriptedServer()
        let mail = try app(world, server)
        let user = try await signIn(mail, server)
        let peerServer = ScriptedServer()
        let calendar = try app(world, peerServer, "com.example.Calendar")
        let theirs = try #require(calendar.auth.currentUser)
        server.answer(.server("x", .server("x", "2")))
        let (begun, beginner) = AsyncStream<Void>.makeStream()
        let (gate, opener) = AsyncStream<Void>.makeStream()
        server.duringCalls {
            beginner.yield()
            for await _ in gate { break }
        }
        async let change: Void = user.updatePassword(to: "secret-2")
        for await _ in begun { break }
        async let token = theirs.getIDToken(forcingRefresh: true)
        opener.yield()
        try await change
        #expect(try await token == "x/id/2")
        #expect(peerServer.calls.isEmpty)
    }

    @Test("E-mails use the user's tokens or the app's tenant; codes are passed on")
    func emails() async throws {
        let server = ScriptedServer()
        let app = try app(AppFixture(), server)
        let user = try await signIn(app, server)
        try await user.sendEmailVerification()
        try await user.sendEmailVerification(beforeUpdatingEmail: "b@example.com")
        app.auth.tenantID = "t-1"
        try await app.auth.sendPasswordReset(withEmail: "a@example.com")
        #expect(try await app.auth.verifyPasswordResetCode("c1") == "ada@example.com")
        try await app.auth.confirmPasswordReset(withCode: "c1", newPassword: "secret-2")
        #expect(try await app.auth.checkActionCode("c2").operation == .verifyEmail)
        try await app.auth.applyActionCode("c2")
        try await app.auth.sendSignInLink(toEmail: "a@example.com", actionCodeSettings: ActionCodeSettings())
        #expect(
            server.calls == [
                "verification x/id/1", "verification b@example.com", "reset a@example.com t-1", "verify c1",
                "confirm c1",
                "check c2", "apply c2", "link to a@example.com",
            ]
        )
        server.fail(.userTokenExpired)
        await expectFailure(.userTokenExpired) {
            try await user.sendEmailVerification(beforeUpdatingEmail: "b@example.com")
        }
        #expect(app.auth.currentUser === user)
    }

    @Test("Operations that an identity provider does not implement are operationNotAllowed")
    func notOffered() async throws {
        struct Plain: IdentityProvider {
            func signIn(with credential: AuthCredential, tenantID: String?) async throws(AuthError) -> IdentityGrant {
                .scripted("x")
            }
            func refresh(_ tokens: UserTokens, scopes: Set<String>) async throws(AuthError) -> UserTokens { tokens }
            func profile(for tokens: UserTokens) async throws(AuthError) -> UserProfile { UserProfile(uid: "x") }
        }
        let app = try TestApp(AppFixture()) { $0.identityProvider = IdentityProviderFactory { _ in Plain() } }
        let user = try await app.auth.signIn(withEmail: "a@example.com", password: "secret").user
        for act in Act.allCases where act != .unlink {
            await expectFailure(.operationNotAllowed) { try await perform(act, user) }
        }
        await expectFailure(.operationNotAllowed) { try await user.delete() }
        await expectFailure(.operationNotAllowed) { try await user.sendEmailVerification() }
        await expectFailure(.operationNotAllowed) { try await app.auth.sendPasswordReset(withEmail: "a@example.com") }
        await expectFailure(.operationNotAllowed) { _ = try await app.auth.signInAnonymously() }
        #expect(app.auth.currentUser === user)
    }
}
