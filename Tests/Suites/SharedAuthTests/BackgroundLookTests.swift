import Dispatch
import TestSupport
import Testing

@testable import SharedAuth

/// Background reads of a slow keyring: calls do not wait for them, and no stale value is announced.
struct BackgroundLookTests {
    private let app = MemoryApp()
    private let auth: Auth
    private let heard = Recorder<String>()
    private let reads = AsyncStream<HeldRead>.makeStream()

    init() throws {
        auth = try app.start { $0.observesOtherProcesses = true }
        _ = auth.addStateDidChangeListener { [heard] _, user in heard.record(user?.uid ?? "no user") }
    }

    private func signIn(_ uid: String) async throws {
        try await app.signIn(uid, in: auth)
        #expect(heard.take { $0 == uid } != nil)
    }

    /// Signs a user in and waits until no operation is under way.
    private func prepare() async throws {
        try await signIn("x")
        auth.waitUntilIdle()
    }

    /// A read that has its result and is held.
    private struct HeldRead {
        private let isOver = DispatchSemaphore(value: 0)

        func finish() { isOver.signal() }
        func wait() { _ = isOver.wait(timeout: .now() + 120) }
    }

    /// Holds the next read once the store has answered it.
    private func holdNextRead() {
        app.after(.read, of: .own) { [reads = reads.continuation] in
            let read = HeldRead()
            reads.yield(read)
            read.wait()
        }
    }

    /// Returns the held read, once there is one.
    private func heldRead() async -> HeldRead {
        for await read in reads.stream { return read }
        return HeldRead()
    }

    /// Starts a background read. The store has already returned this user to it, but holds the result until the test
    /// releases it.
    private func beginLook(finding uid: String) async throws -> HeldRead {
        holdNextRead()
        try app.put(app.account(uid, "2"), in: .own)
        return await heldRead()
    }

    enum Call: CaseIterable {
        case signOut, signOutAsync, signIn, choice
    }

    @Test("A call does not wait for a background read, whose older value is not announced", arguments: Call.allCases)
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
            try auth.useUserAccessGroup(app.group)
        }
        #expect(auth.currentUser?.uid ?? "no user" == expected)
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
            holdNextRead()
            auth.tenantID = nil
            read.finish()
            read = await heldRead()
        }
        if case .signedIn(let user) = auth.state { #expect(user.uid == "x") } else { Issue.record("\(auth.state)") }
        read.finish()
        #expect(heard.take { $0 == "y" } == ["y"])
    }
}
