import SecretService
import Synchronization
import Testing

@testable import SharedAuth
@testable import SharedAuthRecords

struct KeyWatchTests {
    private let key = RecordKey(scope: .project, project: "test", instance: "default", kind: "user")

    @Test("A watch reports the hundredth change as directly as the first")
    func often() {
        let depths = Mutex<[UInt]>([])
        let watch = KeyWatch(key: key) { _ in
            var here = 0
            let depth = unsafe withUnsafePointer(to: &here) { pointer in UInt(bitPattern: pointer) }
            depths.withLock { $0.append(depth) }
        }
        for _ in 0..<100 { watch.tell(.changed) }
        // If each report wrapped the handler once more, later calls would be deeper in the stack.
        #expect(Set(depths.withLock { $0 }).count == 1)
    }

    @Test("A cancelled watch reports nothing and releases its handler")
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
