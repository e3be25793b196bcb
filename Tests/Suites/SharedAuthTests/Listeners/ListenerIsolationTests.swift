import Dispatch
import FoundationEssentials
import SharedAuth
import Synchronization
import TestSupport
import Testing

/// The actor or executor that calls each closure. Compiling is half of the test: no closure uses `assumeIsolated`.
struct ListenerIsolationTests {
    private static let mark = DispatchSpecificKey<Bool>()

    private let auth: Auth

    init() throws {
        let queue = DispatchQueue(label: "listeners")
        queue.setSpecific(key: Self.mark, value: true)
        let identity = ScriptedIdentity()
        identity.expect(.scripted("x"))
        let app = try AuthApp.configure(
            name: "isolation-\(UUID())",
            AuthApp.Options(
                appID: "com.example.Isolation",
                identityProvider: identity.source,
                store: .inMemory(),
                listenerExecutor: .dispatchQueue(queue),
                stateDirectory: TestDirectory.newPath()
            )
        )
        auth = Auth.auth(app: app)
    }

    @Test("A closure without an actor is called through the app's executor")
    func nonisolated() async throws {
        let (calls, continuation) = AsyncStream<(String?, Bool)>.makeStream()
        let handle = auth.addStateDidChangeListener { _, user in
            continuation.yield((user?.uid, DispatchQueue.getSpecific(key: Self.mark) == true))
        }
        let stored: @Sendable (Auth, User?) -> Void = { _, user in
            continuation.yield((user?.uid, DispatchQueue.getSpecific(key: Self.mark) == true))
        }
        let other = auth.addIDTokenDidChangeListener(stored)
        var count = 0
        for await (uid, isThere) in calls {
            #expect(uid == nil)
            #expect(isThere)
            count += 1
            if count == 2 { break }
        }
        auth.removeStateDidChangeListener(handle)
        auth.removeIDTokenDidChangeListener(other)
    }

    @Test("A stored Sendable closure runs on the app's executor while the main actor waits")
    @MainActor
    func namedFirst() {
        let isCalled = DispatchSemaphore(value: 0)
        let listener: @Sendable (Auth, User?) -> Void = { _, _ in
            if DispatchQueue.getSpecific(key: Self.mark) == true { isCalled.signal() }
        }
        let handle = auth.addStateDidChangeListener(listener)
        #expect(isCalled.wait(timeout: .now() + .seconds(30)) == .success)
        auth.removeStateDidChangeListener(handle)
    }

    @Test("A closure written in main-actor code is called on the main actor")
    @MainActor
    func viewModel() async throws {
        let model = ViewModel()
        model.follow(auth)
        try await auth.signInAnonymously()
        await model.wait(for: ["nil", "x"])
        model.stop(auth)
        try auth.signOut()
        #expect(model.uids == ["nil", "x"])
    }

    @Test("A closure marked @MainActor is called on the main actor")
    func explicit() async throws {
        let (calls, continuation) = AsyncStream<String?>.makeStream()
        let handle = auth.addStateDidChangeListener { @MainActor _, user in
            MainActor.preconditionIsolated()
            continuation.yield(user?.uid)
        }
        let stored: @MainActor (Auth, User?) -> Void = { _, user in
            MainActor.preconditionIsolated()
            continuation.yield(user?.uid)
        }
        let other = auth.addIDTokenDidChangeListener(stored)
        var users = calls.makeAsyncIterator()
        #expect(await users.next() == .some(nil))
        #expect(await users.next() == .some(nil))
        auth.removeStateDidChangeListener(handle)
        auth.removeIDTokenDidChangeListener(other)
    }

    @Test("A closure that uses another actor's state is called on that actor, in order")
    func actor() async throws {
        let follower = Follower()
        let handle = await follower.follow(auth)
        try await auth.signInAnonymously()
        try auth.signOut()
        await follower.wait(for: ["nil", "x", "nil"])
        auth.removeStateDidChangeListener(handle)
        try await auth.updateCurrentUser(#require(await follower.last))
        // Announcements after the removal were not delivered: the next call is the first one of the new listener.
        let later = await follower.follow(auth)
        await follower.wait(for: ["nil", "x", "nil", "x"])
        auth.removeStateDidChangeListener(later)
    }
}

/// Literal Firebase code in a class of the main actor.
@MainActor
private final class ViewModel {
    private(set) var uids: [String] = []
    private var handle: AuthStateDidChangeListenerHandle?
    private let changes = AsyncStream<Void>.makeStream()

    func follow(_ auth: Auth) {
        handle = auth.addStateDidChangeListener { [weak self] auth, user in
            MainActor.preconditionIsolated()
            self?.uids.append(user?.uid ?? "nil")
            self?.changes.continuation.yield()
        }
    }

    func stop(_ auth: Auth) {
        if let handle { auth.removeStateDidChangeListener(handle) }
    }

    func wait(for expected: [String]) async {
        for await _ in changes.stream where uids == expected { return }
    }
}

private actor Follower {
    private(set) var last: User?
    private var uids: [String] = []
    private let changes = AsyncStream<Void>.makeStream()

    func follow(_ auth: Auth) -> AuthStateDidChangeListenerHandle {
        auth.addStateDidChangeListener { _, user in
            self.uids.append(user?.uid ?? "nil")
            if let user { self.last = user }
            self.changes.continuation.yield()
        }
    }

    func wait(for expected: [String]) async {
        for await _ in changes.stream where uids == expected { return }
    }
}
