import Synchronization
import TestSupport
import Testing

@testable import SharedAuth

struct RefreshCoalescerTests {
    let coalescer = RefreshCoalescer()
    let key = RefreshCoalescer.Key(slot: .own, account: "x", object: nil)

    @Test("A cancelled caller cancels no other, and the next refresh begins again")
    func cancellation() async throws {
        let (gate, opener) = AsyncStream<Void>.makeStream()
        let (waits, entered) = AsyncStream<TurnWait>.makeStream()
        let count = Counter()
        let refresh: @Sendable (TurnWait) async throws(AuthError) -> UserTokens = { wait in
            let number = count.next()
            entered.yield(wait)
            for await _ in gate { break }
            return .scripted("x", "\(number)")
        }
        let first = Task { try await coalescer.tokens(for: key, refresh) }
        let second = Task { try await coalescer.tokens(for: key, refresh) }
        for await wait in waits {
            while wait.callers < 2 { await Task.yield() }
            break
        }
        first.cancel()
        opener.yield()
        #expect(try await second.value?.idToken == "x/id/1")
        #expect(try await first.value?.idToken == "x/id/1")
        opener.yield()
        #expect(try await coalescer.tokens(for: key, refresh)?.idToken == "x/id/2")
    }
}

extension RefreshCoalescerTests {
    @Test("If all callers leave before the turn, none is taken; the next one begins again")
    func leaving() async throws {
        let (gate, opener) = AsyncStream<Void>.makeStream()
        let (ends, end) = AsyncStream<Result<Void, AuthError>>.makeStream()
        let waiting: @Sendable (TurnWait) async throws(AuthError) -> UserTokens = { wait in
            for await _ in gate { break }
            let outcome = Result { () throws(AuthError) in try wait.end() }
            end.yield(outcome)
            try outcome.get()
            return .scripted("x", "late")
        }
        let other = Task { try await coalescer.tokens(for: key, leavingAfter: .milliseconds(50), waiting) }
        #expect(try await coalescer.tokens(for: key, leavingAfter: .milliseconds(10), waiting) == nil)
        #expect(try await other.value == nil)
        let next = try await coalescer.tokens(for: key) { wait throws(AuthError) in
            try wait.end()
            return .scripted("x", "next")
        }
        #expect(next?.idToken == "x/id/next")
        opener.yield()
        for await outcome in ends {
            expectFailure(.timedOut) { try outcome.get() }
            break
        }
    }

    @Test("Once the turn is taken, no caller leaves, however short its limit")
    func staying() async throws {
        let (gate, opener) = AsyncStream<Void>.makeStream()
        let (turns, turn) = AsyncStream<Void>.makeStream()
        let refresh: @Sendable (TurnWait) async throws(AuthError) -> UserTokens = { wait in
            try wait.end()
            turn.yield()
            for await _ in gate { break }
            return .scripted("x", "new")
        }
        let first = Task { try await coalescer.tokens(for: key, leavingAfter: .patience, refresh) }
        for await _ in turns { break }
        let second = Task { try await coalescer.tokens(for: key, leavingAfter: .zero, refresh) }
        opener.yield()
        #expect(try await first.value?.idToken == "x/id/new")
        opener.yield()
        #expect(try await second.value?.idToken == "x/id/new")
    }
}

extension RefreshCoalescerTests {
    @Test("A forced refresh sends its request after one that has begun")
    func forced() async throws {
        let app = MemoryApp()
        let auth = try await app.start(signingIn: "x")
        let user = try #require(auth.currentUser)
        let (requests, request) = AsyncStream<Void>.makeStream()
        let (gate, opener) = AsyncStream<Void>.makeStream()
        app.identity.duringRefresh {
            request.yield()
            for await _ in gate { break }
        }
        let first = Task { try await user.getIDToken(forcingRefresh: true) }
        for await _ in requests { break }
        let others = (0..<3).map { _ in Task { try await user.getIDToken(forcingRefresh: true) } }
        app.identity.duringRefresh(nil)
        // Gives the others the time to wait.
        for _ in 0..<1000 { await Task.yield() }
        opener.yield()
        #expect(try await first.value == "x/id/refreshed-1")
        for other in others { #expect(try await other.value != "x/id/refreshed-1") }
    }
}

/// A counter.
private final class Counter: Sendable {
    private let count = Mutex(0)

    func next() -> Int {
        count.withLock { count in
            count += 1
            return count
        }
    }
}
