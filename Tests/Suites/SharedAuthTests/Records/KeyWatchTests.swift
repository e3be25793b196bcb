import SecretService
import Synchronization
import Testing

@testable import SharedAuth
@testable import SharedAuthRecords

struct KeyWatchTests {
    private let key = RecordKey(scope: .project, project: "test", instance: "default", kind: "user")

    @Test("A watch reports the thousandth change as directly as the first")
    func often() {
        let depths = Mutex<[UInt]>([])
        let watch = KeyWatch(key: key) { _ in
            var here = 0
            let depth = unsafe withUnsafePointer(to: &here) { pointer in UInt(bitPattern: pointer) }
            depths.withLock { $0.append(depth) }
        }
        for _ in 0..<100 { watch.tell(.changed) }
        // A handler that is wrapped once more each time ends up deep down the stack.
        #expect(Set(depths.withLock { $0 }).count == 1)
    }

    @Test("A cancelled watch reports nothing, and lets go of its handler")
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
