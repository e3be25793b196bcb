import Dispatch
import SecretService
import Synchronization
import TestSupport
import Testing

@testable import SharedAuth

/// Background reads of a slow keyring: calls do not wait for them, and no stale value is announced.
struct BackgroundLookTests {
    private let store = SlowStore()
    private let identity = ScriptedIdentity()
    private let heard = Recorder<String>()
    private let app: AuthApp
    private let key = RecordKey(scope: .app("com.example.Mail"), project: "p", instance: "default", kind: "user")

    private var auth: Auth { Auth.auth(app: app) }

    init() throws {
        app = try AuthApp(
            unregistered: AuthApp.Options(
                appID: "com.example.Mail",
                project: "p",
                identityProvider: identity.source,
                store: .custom(store),
                listenerExecutor: .dispatchQueue(DispatchQueue(label: "listeners")),
                timeout: .seconds(20),
                stateDirectory: TestDirectory.newPath(),
                observesOtherProcesses: true
            )
        )
        _ = auth.addStateDidChangeListener { [heard] _, user in heard.record(user?.uid ?? "no user") }
    }

    private func signIn(_ uid: String) async throws {
        identity.expect(.scripted(uid))
        try await auth.signIn(withEmail: "person@example.com", password: "password")
        #expect(heard.take { $0 == uid } != nil)
    }

    /// Signs a user in and waits until no operation is under way.
    private func prepare() async throws {
        try await signIn("x")
        auth.waitUntilIdle()
    }

    /// Stores a user as another process does.
    private func put(_ uid: String) throws {
        let account = Account(
            profile: UserProfile(uid: uid),
            tokens: .scripted(uid, "2"),
            project: "p",
            issuer: Account.ownIssuer
        )
        let payload = try UserRecord().signingIn(account).encoded()
        _ = try store.base.update(key, by: .patient) { _ in .write(payload) }
    }

    /// Starts a background read. The store has already returned this user to it, but holds the result until the test
    /// releases it.
    private func beginLook(finding uid: String) async throws -> SlowStore.Read {
        store.holdNextRead()
        try put(uid)
        return await store.heldRead()
    }

    enum Call: CaseIterable {
        case signOut, signOutAsync, signIn, choice
    }

    @Test(
        "A call does not wait for a background read, whose older value is not announced",
        arguments: Call.allCases
    )
    func callDuringLook(call: Call) async throws {
        try await prepare()
        let read = try await beginLook(finding: "x")
        var expected = "no user"
        switch call {
        case .signOut: try auth.signOut()
        case .signOutAsync: try await auth.signOut(timeout: .seconds(20))
        case .signIn:
            expected = "z"
            try await signIn("z")
        case .choice:
            try auth.useUserAccessGroup("group.example.a")
        }
        let uid = auth.currentUser?.uid ?? "no user"
        #expect(uid == expected)
        read.finish()
        auth.waitUntilIdle()
        #expect(auth.currentUser?.uid ?? "no user" == expected)
        if call != .signIn { #expect(heard.take { $0 == expected } == [expected]) }
        #expect(heard.events.isEmpty)
    }

    @Test("A background read that no call has overlapped announces its value")
    func look() async throws {
        try await prepare()
        let read = try await beginLook(finding: "y")
        #expect(auth.currentUser?.uid == "x")
        read.finish()
        #expect(heard.take { $0 == "y" } == ["y"])
        #expect(auth.currentUser?.uid == "y")
    }

    @Test("A background read ends although calls overlap each of its attempts")
    func crossedAgainAndAgain() async throws {
        try await prepare()
        var read = try await beginLook(finding: "y")
        for _ in 1...3 {
            store.holdNextRead()
            auth.tenantID = nil
            read.finish()
            read = await store.heldRead()
        }
        #expect(auth.state.isSignedIn(as: "x"))
        read.finish()
        #expect(heard.take { $0 == "y" } == ["y"])
    }
}

extension AuthState {
    fileprivate func isSignedIn(as uid: String) -> Bool {
        if case .signedIn(let user) = self { user.uid == uid } else { false }
    }
}

/// An in-memory store whose reads can be held.
private final class SlowStore: ForwardingRecordStore {
    /// A read that has its result and is held.
    struct Read: Sendable {
        fileprivate let isOver = DispatchSemaphore(value: 0)

        func finish() { isOver.signal() }
    }

    let base = InMemoryRecordStore()
    private let next = Mutex<Read?>(nil)
    private let (held, holding) = AsyncStream<Read>.makeStream()

    func holdNextRead() { next.withLock { $0 = Read() } }

    /// Returns the held read, once there is one.
    func heldRead() async -> Read {
        for await read in held { return read }
        return Read()
    }

    func read(_ key: RecordKey, by deadline: Deadline) throws(RecordStoreError) -> StoredRecord {
        let stored = try base.read(key, by: deadline)
        let read = next.withLock { next in
            defer { next = nil }
            return next
        }
        if let read {
            holding.yield(read)
            _ = read.isOver.wait(timeout: .now() + 120)
        }
        return stored
    }
}
