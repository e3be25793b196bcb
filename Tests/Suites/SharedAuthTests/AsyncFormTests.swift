import Dispatch
import FoundationEssentials
import SecretService
import TestSupport
import Testing

@testable import SharedAuth

/// The async forms of synchronous calls.
struct AsyncFormTests {
    private let app: AuthApp
    private let auth: Auth

    init() throws {
        let identity = ScriptedIdentity()
        identity.expect(.scripted("x"))
        app = try AuthApp(
            unregistered: AuthApp.Options(
                appID: "com.example.Async",
                identityProvider: identity.source,
                store: .inMemory(),
                timeout: .patience,
                stateDirectory: TestDirectory.newPath(),
                keepsOtherUsers: true
            )
        )
        auth = Auth.auth(app: app)
    }

    @Test("Forms with a timeout do the same as the synchronous ones")
    func timeoutForms() async throws {
        try await auth.useUserAccessGroup("group.example.async", timeout: .patience)
        #expect(auth.userAccessGroup == "group.example.async")
        #expect(try await auth.userAccessGroup(timeout: .patience) == "group.example.async")
        try await auth.signInAnonymously()
        #expect(try await auth.currentUser(timeout: .patience) === auth.currentUser)
        auth.tenantID = "t"
        #expect(try await auth.tenantID(timeout: .patience) == "t")
        auth.tenantID = nil
        #expect(try await auth.getStoredUser(forAccessGroup: "group.example.async", timeout: .patience)?.uid == "x")
        try await auth.signOut(timeout: .patience)
        #expect(auth.currentUser == nil)
    }

    @Test("Plain async forms do the same as the synchronous ones")
    func plainForms() async throws {
        try await auth.signInAnonymously()
        try await auth.migrateCurrentUser(toAccessGroup: "group.example.async")
        #expect(auth.userAccessGroup == "group.example.async")
        #expect(try await auth.storedUsers(inAccessGroup: "group.example.async").map(\.uid) == ["x"])
        try await auth.switchCurrentUser(toUID: "x")
        #expect(try await auth.storeStatus().kind == .inMemory)
        try await auth.signOut(uid: "nobody")
        #expect(auth.currentUser?.uid == "x")
        try await auth.signOutAll()
        #expect(auth.currentUser == nil)
        try await app.delete()
        #expect(try await auth.storedUsers(inAccessGroup: nil).isEmpty)
    }

    @Test("A main.swift can call the synchronous form of a call that has both forms")
    func overloads() throws {
        let sources = Checkout.root.appending(path: "Sources/Auth/SharedAuth").path
        let text = try FileManager.default.subpathsOfDirectory(atPath: sources).filter { $0.hasSuffix(".swift") }
            .map { try String(contentsOfFile: "\(sources)/\($0)", encoding: .utf8) }.joined()
        func forms(_ effects: String) throws -> [(name: String, isMarked: Bool)] {
            let form = try Regex<(Substring, Substring?, Substring)>(
                #"(@available\(\*, noasync\)\s+)?public func (\w+\([^{)]*\)) \#(effects)"#
            )
            return text.matches(of: form).map { match in
                (match.output.2.filter { !$0.isWhitespace }, match.output.1 != nil)
            }
        }
        let asynchronous = Set(try forms("async throws").map(\.name))
        let overloaded = try forms("throws").filter { asynchronous.contains($0.name) }
        #expect(overloaded.count == 9)
        for form in overloaded { #expect(!form.isMarked, "\(form.name)") }
    }

    @Test("Firebase's name for a forced refresh refreshes, and with false does not")
    func forcedRefresh() async throws {
        let user = try await auth.signInAnonymously().user
        #expect(try await user.getIDTokenForcingRefresh(false) == "x/id/1")
        #expect(try await user.getIDTokenForcingRefresh(true) == "x/id/refreshed-1")
    }

    @Test(
        "The given timeout holds, although another call takes all of the app's time",
        .timeLimit(.minutes(5))
    )
    func timeout() async throws {
        let operation = EndlessOperation(on: auth)
        defer { operation.end() }
        let clock = ContinuousClock()
        let start = clock.now
        for attempt in 0..<2 {
            do throws(AuthError) {
                if attempt == 0 {
                    try await auth.useUserAccessGroup("group.example.async", timeout: .milliseconds(100))
                } else {
                    try await auth.signOut(timeout: .milliseconds(100))
                }
                Issue.record("not refused")
            } catch {
                #expect(error.code == .timedOut)
            }
        }
        #expect(clock.now - start < .seconds(30))
    }

    @Test("A wait for the first load that takes too long throws, and the load goes on", .timeLimit(.minutes(5)))
    func slowFirstLoad() async throws {
        let app = MemoryApp()
        let goOn = app.store.hold(.read)
        let auth = try app.launch { $0.timeout = .patience }
        await expectFailure(.timedOut) { _ = try await auth.currentUser(timeout: .milliseconds(20)) }
        await expectFailure(.timedOut) { _ = try await auth.userAccessGroup(timeout: .milliseconds(20)) }
        await expectFailure(.timedOut) { _ = try await auth.tenantID(timeout: .milliseconds(20)) }
        goOn()
        #expect(try await auth.currentUser(timeout: .seconds(50)) == nil)
        guard case .signedOut = auth.state else { Issue.record("\(auth.state)"); return }
    }

    @Test("However many async calls wait, they hold up no thread that runs async code", .timeLimit(.minutes(5)))
    func threads() async throws {
        try await auth.signInAnonymously()
        let operation = EndlessOperation(on: auth)
        try await withThrowingTaskGroup { [auth] group in
            for _ in 0..<64 { group.addTask { try await auth.signOutAll() } }
            // This gets a thread although all of those wait for it.
            group.addTask { operation.end() }
            try await group.waitForAll()
        }
        #expect(auth.currentUser == nil)
    }
}

/// An operation that lasts until it is ended.
private final class EndlessOperation: Sendable {
    private let isOver = DispatchSemaphore(value: 0)

    /// Returns when the operation has begun.
    init(on auth: Auth) {
        let hasBegun = DispatchSemaphore(value: 0)
        DispatchQueue(label: "EndlessOperation").async { [isOver] in
            try? auth.engine.withOperation { _ in
                hasBegun.signal()
                isOver.wait()
            }
        }
        hasBegun.wait()
    }

    func end() { isOver.signal() }
}
