import Dispatch
import SecretService
import Synchronization
import Testing

@testable import SharedAuth

struct SlotObserverTests {
    private let looks = Looks()
    private let queue = DispatchQueue(label: "SlotObserverTests")
    private let observer: SlotObserver

    init() {
        observer = SlotObserver(
            slots: UserSlots(
                store: InMemoryRecordStore(),
                appID: "com.example.Mail",
                project: "test",
                instance: "default"
            ),
            timeout: .seconds(5),
            queue: queue
        )
        observer.look { [looks] _ in looks.add() }
        observer.follow(.own)
        // The watch is begun there, and then the first look.
        queue.sync {}
        queue.sync {}
    }

    @Test("What is heard while nobody can look is looked at once")
    func burst() {
        let before = looks.count
        #expect(before == 1)
        queue.suspend()
        for _ in 0..<1000 { observer.handle(.changed, .own) }
        queue.resume()
        queue.sync {}
        #expect(looks.count == before + 1)
    }

    @Test("What is heard during a look is looked at once more")
    func during() {
        let before = looks.count
        looks.doNext { [observer] in
            for _ in 0..<1000 { observer.handle(.changed, .own) }
        }
        observer.handle(.changed, .own)
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
