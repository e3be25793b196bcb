import Dispatch
import SecretService
import Synchronization
import Testing

@testable import SharedAuth

struct PeerFeedTests {
    private let looks = Looks()
    private let queue = DispatchQueue(label: "PeerFeedTests")
    private let feed = PeerFeed(
        slots: UserSlots(store: InMemoryRecordStore(), appID: "com.example.Mail", project: "test", instance: "default"),
        deadline: .seconds(5)
    )

    init() {
        feed.follow(.own, tell: { [looks] in looks.add() }, on: queue)
        // The watch is begun there, and then the first look.
        queue.sync {}
        queue.sync {}
    }

    @Test("What is heard while nobody can look is looked at once")
    func burst() {
        let before = looks.count
        #expect(before == 1)
        queue.suspend()
        for _ in 0..<1000 { feed.handle(.changed, .own, on: queue) }
        queue.resume()
        queue.sync {}
        #expect(looks.count == before + 1)
    }

    @Test("What is heard during a look is looked at once more")
    func during() {
        let before = looks.count
        looks.doNext { [feed, queue] in
            for _ in 0..<1000 { feed.handle(.changed, .own, on: queue) }
        }
        feed.handle(.changed, .own, on: queue)
        queue.sync {}
        queue.sync {}
        #expect(looks.count == before + 2)
    }
}

/// Counts looks, none of which needs to be repeated.
private final class Looks: Sendable {
    private struct State {
        var count = 0
        var next: (@Sendable () -> Void)?
    }

    private let state = Mutex(State())

    var count: Int { state.withLock { $0.count } }

    /// Lets this happen in the middle of the next look.
    func doNext(_ work: @escaping @Sendable () -> Void) { state.withLock { $0.next = work } }

    func add() -> Bool {
        let work = state.withLock { state in
            state.count += 1
            defer { state.next = nil }
            return state.next
        }
        work?()
        return false
    }
}
