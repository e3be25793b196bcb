import Dispatch
import Synchronization
import TestSupport
import Testing

@testable import SharedAuth

/// Sign-ins in which the user takes part.
struct FederatedSignInTests {
    /// A browser that stays open until the test finishes it or its task is cancelled.
    private final class Browser: FederatedAuthProvider {
        let providerID = "example.org"
        let timeout: Duration
        private let ending: AsyncStream<AuthCredential>
        private let end: AsyncStream<AuthCredential>.Continuation
        private let opening: AsyncStream<Void>
        private let open: AsyncStream<Void>.Continuation
        private let cancelling: AsyncStream<Void>
        private let cancel: AsyncStream<Void>.Continuation

        init(timeout: Duration = .seconds(60)) {
            self.timeout = timeout
            (ending, end) = AsyncStream.makeStream()
            (opening, open) = AsyncStream.makeStream()
            (cancelling, cancel) = AsyncStream.makeStream()
        }

        func credential() async throws(AuthError) -> AuthCredential {
            open.yield()
            for await credential in ending { return credential }
            cancel.yield()
            throw AuthError(.webContextCancelled, "The browser was closed.")
        }

        func waitUntilOpen() async { for await _ in opening { break } }
        func waitUntilCancelled() async { for await _ in cancelling { break } }

        func finish(_ providerID: String = "example.org") {
            end.yield(
                OAuthProvider.credential(OAuthCredential(providerID: providerID, accessToken: nil, refreshToken: "r"))
            )
        }
    }

    private let server = ScriptedServer()

    private func app(_ adjust: (inout AuthApp.Options) -> Void = { _ in }) throws -> AuthApp {
        var options = AuthApp.Options(
            appID: "com.example.Mail",
            identityProvider: server.source,
            store: .inMemory(),
            listenerExecutor: .dispatchQueue(.global()),
            observesOtherProcesses: false
        )
        adjust(&options)
        return try AuthApp(unregistered: options)
    }

    @Test("The user's credential signs in, and the result names the provider")
    func signsIn() async throws {
        let (app, browser) = (try app(), Browser())
        server.answer(
            IdentityGrant(
                profile: UserProfile(uid: "x"),
                tokens: .scripted("x", "1"),
                isNewUser: true,
                details: IdentityGrant.Details(
                    username: "ada",
                    profile: ["login": .string("ada")],
                    credential: OAuthCredential(providerID: "example.org", refreshToken: "secret-r")
                )
            )
        )
        browser.finish()
        let result = try await app.auth.signIn(with: browser)
        #expect(app.auth.currentUser === result.user)
        let info = try #require(result.additionalUserInfo)
        #expect(info.providerID == "example.org" && info.isNewUser && info.username == "ada")
        #expect(info.profile?["login"] as? String == "ada")
        #expect(result.credential?.refreshToken == "secret-r")
        #expect(server.calls == ["sign-in example.org"])
        var dumped = ""
        dump(result, to: &dumped)
        for secret in ["secret-r", "login", "\"ada\""] { #expect(!dumped.contains(secret)) }
    }

    @Test("A second sign-in is webContextAlreadyPresented until the first has ended")
    func oneAtATime() async throws {
        let (app, browser) = (try app(), Browser())
        server.answer(.server("x", .scripted("x", "1")))
        async let first = app.auth.signIn(with: browser)
        await browser.waitUntilOpen()
        await expectFailure(.webContextAlreadyPresented) { try await app.auth.signIn(with: Browser()) }
        // Another Auth may sign in at the same time.
        let other = Browser()
        other.finish()
        server.answer(.server("y", .scripted("y", "1")))
        _ = try await self.app().auth.signIn(with: other)
        browser.finish()
        _ = try await first
        let next = Browser()
        next.finish()
        server.answer(.server("x", .scripted("x", "2")))
        _ = try await app.auth.signIn(with: next)
    }

    @Test("Cancelling a sign-in throws webContextCancelled and cancels the provider's task")
    func cancelled() async throws {
        let (app, browser) = (try app(), Browser())
        let task = Task { try await app.auth.signIn(with: browser) }
        await browser.waitUntilOpen()
        task.cancel()
        await expectFailure(.webContextCancelled) { try await task.value }
        await browser.waitUntilCancelled()
        #expect(server.calls.isEmpty)
        #expect(app.auth.currentUser == nil)
    }

    @Test("A user exceeding the provider's timeout is timedOut, whatever identityTimeout is")
    func late() async throws {
        let (app, browser) = (try app(), Browser(timeout: .milliseconds(10)))
        await expectFailure(.timedOut) { try await app.auth.signIn(with: browser) }
        await browser.waitUntilCancelled()
        #expect(server.calls.isEmpty)
        #expect(OneFromElsewhere().timeout == .seconds(300))
    }

    /// A browser that returns immediately, and a server that then takes time.
    private final class SlowServer: FederatedAuthProvider {
        let providerID = "example.org"
        let timeout = Duration.seconds(1)
        let back: AsyncStream<Void>
        private let comeBack: AsyncStream<Void>.Continuation
        private let answering: AsyncStream<Void>
        let answer: AsyncStream<Void>.Continuation

        init() {
            (back, comeBack) = AsyncStream.makeStream()
            (answering, answer) = AsyncStream.makeStream()
        }

        func credential() async throws(AuthError) -> AuthCredential { try await credential {} }

        func credential(userIsDone: @escaping @Sendable () -> Void) async throws(AuthError) -> AuthCredential {
            userIsDone()
            comeBack.yield()
            for await _ in answering { break }
            return OAuthProvider.credential(OAuthCredential(providerID: providerID, refreshToken: "r"))
        }
    }

    @Test("Once the user is done, a cancelled sign-in completes: the response is valid once")
    func cancelledWhenDone() async throws {
        let (app, slow) = (try app(), SlowServer())
        server.answer(.server("x", .scripted("x", "1")))
        let task = Task { try await app.auth.signIn(with: slow).user.uid }
        for await _ in slow.back { break }
        task.cancel()
        slow.answer.yield()
        #expect(try await task.value == "x")
        #expect(app.auth.currentUser?.uid == "x")
    }

    @Test("Server work after the user is done counts against its own limit, not the user's")
    func slowServer() async throws {
        let (app, slow) = (try app(), SlowServer())
        server.answer(.server("x", .scripted("x", "1")))
        async let result = app.auth.signIn(with: slow)
        for await _ in slow.back { break }
        // A user whose time began later has timed out by now.
        let other = try self.app()
        await expectFailure(.timedOut) { try await other.auth.signIn(with: Browser(timeout: slow.timeout)) }
        slow.answer.yield()
        #expect(try await result.user.uid == "x")

        let impatient = try self.app { $0.identityTimeout = .milliseconds(10) }
        let error = await expectFailure(.timedOut) { try await impatient.auth.signIn(with: SlowServer()) }
        #expect(error?.message.contains("identity provider") == true)
    }

    /// A browser whose port is freed some time after its task was cancelled, or only when the test says so.
    private final class SlowToEnd: FederatedAuthProvider {
        let providerID = "example.org"
        let isOpen = Mutex(false)
        let opening: AsyncStream<Void>
        private let open: AsyncStream<Void>.Continuation
        let hanging: AsyncStream<CheckedContinuation<Void, Never>>
        private let hang: AsyncStream<CheckedContinuation<Void, Never>>.Continuation
        private let hangs: Bool

        init(hangs: Bool) {
            self.hangs = hangs
            (opening, open) = AsyncStream.makeStream()
            (hanging, hang) = AsyncStream.makeStream()
        }

        func credential() async throws(AuthError) -> AuthCredential {
            isOpen.withLock { $0 = true }
            open.yield()
            for await _ in AsyncStream<Void>.makeStream().stream {}
            if hangs { await withCheckedContinuation { hang.yield($0) } }
            for _ in 0..<100 { await Task.yield() }
            isOpen.withLock { $0 = false }
            throw AuthError(.webContextCancelled, "The browser was closed.")
        }
    }

    @Test(
        "A cancelled call returns once its sign-in ended or hangs; the next may begin",
        .timeLimit(.minutes(1)),
        arguments: [false, true]
    )
    func slowToEnd(hangs: Bool) async throws {
        let browser = SlowToEnd(hangs: hangs)
        let signIn = FederatedSignIn(
            serverTimeout: .seconds(30),
            endingTime: hangs ? .milliseconds(10) : .seconds(60)
        )
        let task = Task { try await signIn.credential(of: browser) { _ in } }
        for await _ in browser.opening { break }
        task.cancel()
        await expectFailure(.webContextCancelled) { try await task.value }
        #expect(browser.isOpen.withLock { $0 } == hangs)
        let next = Browser()
        next.finish()
        _ = try await signIn.credential(of: next) { _ in }
        if hangs { for await end in browser.hanging { end.resume(); break } }
    }

    private struct OneFromElsewhere: FederatedAuthProvider {
        let providerID = "example.org"
        func credential() async throws(AuthError) -> AuthCredential {
            OAuthProvider.credential(OAuthCredential(providerID: providerID))
        }
    }

    @Test("Without an identity provider, no browser is opened")
    func withoutIdentityProvider() async throws {
        let app = try AuthApp(unregistered: AuthApp.Options(appID: "com.example.Mail", store: .inMemory()))
        await expectFailure(.operationNotAllowed) { try await app.auth.signIn(with: Browser()) }
    }

    @Test("A federated sign-in links a user and signs them in again")
    func linked() async throws {
        let app = try app()
        server.answer(.server("x", .scripted("x", "1")))
        let user = try await app.auth.signIn(withEmail: "a@example.com", password: "secret").user
        let (one, two) = (Browser(), Browser())
        one.finish()
        two.finish()
        server.answer(.server("x", .scripted("x", "2"), providers: ["example.org"]))
        try await user.link(with: one)
        await expectFailure(.providerAlreadyLinked) { try await user.link(with: Browser()) }
        server.answer(.server("x", .scripted("x", "3"), providers: ["example.org"]))
        try await user.reauthenticate(with: two)
        #expect(user.refreshToken == "x/refresh/3")
        #expect(server.calls == ["sign-in password", "link x/refresh/1", "reauthenticate x"])
    }

    @Test(
        "A link signs in if it has a code and the mode signIn",
        arguments: [
            ("https://example.com/?mode=signIn&oobCode=c1", true), ("https://example.com/?mode=signIn", false),
            ("https://example.com/?mode=resetPassword&oobCode=c1", false), ("no link", false), ("", false),
            ("https://example.com/?mode=signIn&oobCode=", false),
        ]
    )
    func emailLink(link: String, signsIn: Bool) async throws {
        let app = try app()
        #expect(app.auth.isSignIn(withEmailLink: link) == signsIn)
        server.answer(.server("x", .scripted("x", "1")))
        if signsIn {
            #expect(try await app.auth.signIn(withEmail: "a@example.com", link: link).user.uid == "x")
        } else {
            await expectFailure(.invalidActionCode) {
                try await app.auth.signIn(withEmail: "a@example.com", link: link)
            }
        }
    }
}
