import Dispatch
import FoundationEssentials
import SharedAuth
import TestSupport
import Testing

/// Tests the isolation of completion handlers. Compiling this file is half of the test: no handler uses
/// `assumeIsolated`.
struct CompletionIsolationTests {
    private static let mark = DispatchSpecificKey<Bool>()

    private let auth: Auth

    init() throws {
        let queue = DispatchQueue(label: "completions")
        queue.setSpecific(key: Self.mark, value: true)
        let identity = ScriptedIdentity()
        identity.expect(.scripted("x"))
        let app = try AuthApp.configure(
            name: "completions-\(UUID())",
            AuthApp.Options(
                appID: "com.example.Completions",
                identityProvider: identity.source,
                store: .inMemory(),
                listenerExecutor: .dispatchQueue(queue),
                stateDirectory: TestDirectory.newPath()
            )
        )
        auth = Auth.auth(app: app)
    }

    @Test("A nonisolated handler is called through the app's executor, after the listeners")
    func nonisolated() async throws {
        let (calls, continuation) = AsyncStream<String>.makeStream()
        let handle = auth.addStateDidChangeListener { _, user in continuation.yield("listener \(user?.uid ?? "nil")") }
        auth.signInAnonymously { result, error in
            let isThere = DispatchQueue.getSpecific(key: Self.mark) == true
            continuation.yield("\(result?.user.uid ?? "nil") \(error == nil) \(isThere)")
        }
        var iterator = calls.makeAsyncIterator()
        #expect(await iterator.next() == "listener nil")
        #expect(await iterator.next() == "listener x")
        #expect(await iterator.next() == "x true true")
        auth.removeStateDidChangeListener(handle)
        let isDone = await withCheckedContinuation { continuation in
            auth.updateCurrentUser(nil) { error in
                continuation.resume(
                    returning: error?.code == .nullUser && DispatchQueue.getSpecific(key: Self.mark) == true
                )
            }
        }
        #expect(isDone)
    }

    @Test("A handler in main-actor code is called there, after the main actor's listeners")
    @MainActor
    func mainActor() async throws {
        let controller = LoginController(auth)
        controller.login()
        await controller.wait(for: ["listener nil", "listener x", "x", "token true", "reloaded true", "nullUser"])
        controller.end()
    }

    @Test("A handler in code of another global actor is called there")
    func otherGlobalActor() async throws {
        try await auth.signInAnonymously()
        let account = await Account(auth)
        #expect(await account.read() == ["x/id/1", "x", "nullUser"])
    }

    @Test("A handler that uses an actor's state is called on that actor")
    func actor() async throws {
        let reader = Reader()
        #expect(await reader.uid(auth) == "x")
        let other = try AuthApp(
            unregistered: AuthApp.Options(appID: "com.example.Gone", store: .inMemory(), observesOtherProcesses: false)
        )
        #expect(await reader.uid(Auth.auth(app: other)) == "ERROR_OPERATION_NOT_ALLOWED")
    }

    @Test("A call with nil as its handler is made nevertheless")
    func noHandler() async throws {
        auth.signInAnonymously(completion: nil)
        for await user in auth.authStateChanges where user?.uid == "x" { break }
        auth.currentUser?.getIDToken(completion: nil)
        auth.currentUser?.getIDTokenForcingRefresh(false, completion: nil)
        auth.currentUser?.getIDTokenResult(completion: nil)
        auth.currentUser?.delete(completion: nil)
        for await user in auth.authStateChanges where user == nil { break }
    }
}

/// Firebase code in a class on the main actor, like a view controller.
@MainActor
private final class LoginController {
    private let auth: Auth
    private var handle: AuthStateDidChangeListenerHandle?
    private(set) var labels: [String] = []
    private let changes = AsyncStream<Void>.makeStream()

    init(_ auth: Auth) { self.auth = auth }

    func login() {
        handle = auth.addStateDidChangeListener { [weak self] _, user in self?.show("listener \(user?.uid ?? "nil")") }
        auth.signIn(withEmail: "a@example.com", password: "password") { [weak self] result, error in
            MainActor.preconditionIsolated()
            guard error == nil, let self else { return }
            show(result?.user.uid ?? "nil")
            result?.user.getIDToken { token, _ in
                MainActor.preconditionIsolated()
                self.show("token \(token != nil)")
                result?.user.reload { error in
                    self.show("reloaded \(error == nil)")
                    self.auth.updateCurrentUser(nil) { error in
                        MainActor.preconditionIsolated()
                        self.show("nullUser")
                    }
                }
            }
        }
    }

    func end() {
        if let handle { auth.removeStateDidChangeListener(handle) }
    }

    private func show(_ text: String) {
        labels.append(text)
        changes.continuation.yield()
    }

    func wait(for expected: [String]) async {
        for await _ in changes.stream where labels == expected { return }
    }
}

@globalActor
private actor AccountActor {
    static let shared = AccountActor()
}

@AccountActor
private final class Account {
    private let auth: Auth
    private var texts: [String] = []

    init(_ auth: Auth) { self.auth = auth }

    func read() async -> [String] {
        await withCheckedContinuation { continuation in
            auth.currentUser?.getIDToken { token, _ in
                AccountActor.shared.preconditionIsolated()
                self.texts.append(token ?? "nil")
                self.auth.currentUser?.getIDTokenResult { _, error in
                    AccountActor.shared.preconditionIsolated()
                    self.texts.append(error?.code == .malformedJWT ? self.auth.currentUser?.uid ?? "nil" : "read")
                    self.auth.updateCurrentUser(nil) { error in
                        AccountActor.shared.preconditionIsolated()
                        self.texts.append(error?.code == .nullUser ? "nullUser" : "done")
                        continuation.resume(returning: self.texts)
                    }
                }
            }
        }
    }
}

private actor Reader {
    private var count = 0

    func uid(_ auth: Auth) async -> String {
        await withCheckedContinuation { continuation in
            auth.signInAnonymously { result, error in
                self.preconditionIsolated()
                self.count += 1
                continuation.resume(returning: result?.user.uid ?? error.map { "\($0.code.errorName)" } ?? "nil")
            }
        }
    }
}
