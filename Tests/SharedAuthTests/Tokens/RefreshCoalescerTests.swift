import Synchronization
import TestSupport
import Testing

@testable import SharedAuth

struct RefreshCoalescerTests {
    let coalescer = RefreshCoalescer()
    let key = RefreshCoalescer.Key(slot: .own, uid: "x", object: nil)

    @Test("A caller that is cancelled cancels nobody else, and the next refresh begins again")
    func cancellation() async throws {
        let (gate, opener) = AsyncStream<Void>.makeStream()
        let count = Counter()
        let refresh: @Sendable () async throws(AuthError) -> UserTokens = {
            let number = count.next()
            for await _ in gate { break }
            return .scripted("x", "\(number)")
        }
        let first = Task { try await coalescer.tokens(for: key, refresh) }
        let second = Task { try await coalescer.tokens(for: key, refresh) }
        first.cancel()
        opener.yield()
        #expect(try await second.value.idToken == "x/id/1")
        #expect(try await first.value.idToken == "x/id/1")
        opener.yield()
        #expect(try await coalescer.tokens(for: key, refresh).idToken == "x/id/2")
    }
}

/// Counts.
private final class Counter: Sendable {
    private let count = Mutex(0)

    func next() -> Int {
        count.withLock { count in
            count += 1
            return count
        }
    }
}
