import SecretService
import Synchronization
import Testing

@testable import SharedAuth

struct KeyWatchTests {
    private let key = RecordKey(scope: .project, project: "test", instance: "default", kind: "user")

    @Test("A watch that is told very often is told as directly as at first")
    func often() {
        let count = Mutex(0)
        let watch = KeyWatch(key: key) { _ in count.withLock { $0 += 1 } }
        // A handler that is wrapped once more each time overflows the stack long before this.
        for _ in 0..<300_000 { watch.tell(.changed) }
        #expect(count.withLock { $0 } == 300_000)
    }

    @Test("A cancelled watch is told nothing, and lets go of its handler")
    func cancelled() {
        let count = Mutex(0)
        weak var held: Held?
        let watch: KeyWatch
        do {
            let captured = Held()
            held = captured
            watch = KeyWatch(key: key) { _ in
                withExtendedLifetime(captured) { count.withLock { $0 += 1 } }
            }
        }
        watch.tell(.changed)
        watch.cancel()
        watch.tell(.changed)
        #expect(count.withLock { $0 } == 1)
        #expect(held == nil)
    }
}

private final class Held: Sendable {}
