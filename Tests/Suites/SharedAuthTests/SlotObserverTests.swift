import Dispatch
import SecretService
import SharedAuthRecords
import Synchronization
import TestSupport
import Testing

@testable import SharedAuth

struct SlotObserverTests {
    private let looks = Looks()
    private let queue = DispatchQueue(label: "SlotObserverTests")
    private let observer: SlotObserver

    init() {
        observer = Self.observer(on: InMemoryRecordStore(), queue)
        observer.reread { [looks] _ in looks.add() }
        observer.follow(.own)
        // The queue begins the watch, then makes the first read.
        queue.sync {}
        queue.sync {}
    }

    private static func observer(on store: any RecordStore, _ queue: DispatchQueue) -> SlotObserver {
        let slots = UserSlots(store: store, appID: "com.example.Mail", project: "test", instance: "default")
        return SlotObserver(slots: slots, timeout: .seconds(5), queue: queue)
    }

    /// Returns the reads of the slot from now on.
    private static func looks(of observer: SlotObserver) -> AsyncStream<Void> {
        let (looked, signal) = AsyncStream<Void>.makeStream()
        observer.reread { _ in
            signal.yield()
            return false
        }
        return looked
    }

    @Test("Changes that arrive while the queue is suspended cause one read")
    func burst() {
        let before = looks.count
        #expect(before == 1)
        queue.suspend()
        for _ in 0..<1000 { observer.handle(.changed, .own) }
        queue.resume()
        queue.sync {}
        #expect(looks.count == before + 1)
    }

    @Test("Changes that arrive during a read cause one more read")
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

    @Test("The slot is read again when a keyring daemon appears")
    func appeared() {
        let before = looks.count
        observer.handle(.storeAppeared, .own)
        queue.sync {}
        #expect(looks.count == before + 1)
        observer.handle(.storeVanished, .own)
        queue.sync {}
        #expect(looks.count == before + 1)
    }

    @Test(
        "After a failed watch, isObserving is false until a retry; then the slot is read",
        .timeLimit(.minutes(5))
    )
    func beginsAgain() async {
        let store = FaultInjectingStore()
        store.fail(.watch, times: 1)
        let queue = DispatchQueue(label: "SlotObserverTests.beginsAgain")
        let observer = Self.observer(on: store, queue)
        let looked = Self.looks(of: observer)
        observer.follow(.own)
        queue.sync {}
        #expect(store.count(of: .watch) == 1)
        #expect(!observer.isObserving)
        for await _ in looked { break }
        #expect(store.count(of: .watch) == 2)
        #expect(observer.isObserving)
    }

    @Test(
        "A watch that ends before it is in use is not taken for one that lives",
        .timeLimit(.minutes(1)),
        arguments: [false, true]
    )
    func endedAtOnce(isEarly: Bool) async {
        let store = EndingStore()
        let queue = DispatchQueue(label: "SlotObserverTests.endedAtOnce")
        let observer = Self.observer(on: store, queue)
        let looked = Self.looks(of: observer)
        if isEarly { observer.watchEarly(.own, by: .patient) }
        observer.follow(.own)
        if !isEarly {
            queue.sync {}
            #expect(!observer.isObserving)
        }
        for await _ in looked { break }
        #expect(observer.isObserving)
        #expect(store.begun.withLock { $0 } == 2)
    }

    @Test("An early watch is adopted without a read, unless its slot is not used")
    func early() {
        let before = looks.count
        observer.watchEarly(.group("group.example.a"), by: .patient)
        observer.endEarlyWatch()
        observer.follow(.group("group.example.a"))
        queue.sync {}
        queue.sync {}
        #expect(looks.count == before + 1)
        observer.watchEarly(.own, by: .patient)
        observer.follow(.own)
        #expect(observer.isObserving)
        queue.sync {}
        #expect(looks.count == before + 1)
        observer.follow(nil)
        #expect(!observer.isObserving)
        observer.resume()
        #expect(!observer.isObserving)
    }

    @Test("A watch that ends begins again by itself; then the slot is read", .timeLimit(.minutes(1)))
    func endedWatch() async {
        let looked = Self.looks(of: observer)
        observer.handle(.closed, .own)
        #expect(!observer.isObserving)
        for await _ in looked { break }
        #expect(observer.isObserving)
    }

    @Test(
        "A read that fails while a retry of the watch is pending is repeated too",
        .timeLimit(.minutes(1))
    )
    func looksAgain() async {
        let (looked, signal) = AsyncStream<Bool>.makeStream()
        let outcomes = Mutex([true, false])
        observer.reread { _ in
            let isLater = outcomes.withLock { $0.isEmpty ? false : $0.removeFirst() }
            signal.yield(isLater)
            return isLater
        }
        observer.handle(.closed, .own)
        // As an operation does. The watch is back, and its read fails while the watch's retry is pending.
        observer.resume()
        var looks: [Bool] = []
        for await isLater in looked {
            looks.append(isLater)
            if looks.count == 2 { break }
        }
        #expect(looks == [true, false])
        #expect(observer.isObserving)
    }
}

/// Tests that a locked keyring is asked every few seconds, by a scripted clock.
struct LockQuestionTests {
    private let store = LockedStore()
    private let pauses = Pauses()
    private let looks = Looks()
    private let queue = DispatchQueue(label: "LockQuestionTests")
    private let observer: SlotObserver

    init() {
        let slots = UserSlots(store: store, appID: "com.example.Mail", project: "test", instance: "default")
        observer = SlotObserver(slots: slots, timeout: .seconds(5), queue: queue, pause: pauses.pause)
        observer.reread { [looks] _ in looks.add() }
        observer.follow(.own)
        settle()
    }

    /// Waits until the queue has done what was planned on it.
    private func settle() { for _ in 0..<3 { queue.sync {} } }

    private func pass() {
        pauses.end()
        settle()
    }

    @Test("While locked, there is one question per pause, and a read once it is unlocked")
    func asked() {
        #expect(pauses.count == 0)
        observer.note(isLocked: true)
        observer.note(isLocked: true)
        #expect(pauses.count == 1 && pauses.last == .seconds(3))
        let before = looks.count
        for number in 1...3 {
            pass()
            #expect(store.questions == number && looks.count == before && pauses.count == 1)
        }
        store.isLocked = false
        pass()
        #expect(looks.count == before + 1)
        observer.note(isLocked: false)
        pass()
        #expect(store.questions == 4 && pauses.count == 0)
    }

    @Test("No question is asked of a daemon that has ended, nor after the watch is stopped")
    func goneDaemon() {
        observer.note(isLocked: true)
        observer.handle(.storeVanished, .own)
        pass()
        #expect(store.questions == 0 && pauses.count == 0)
        observer.handle(.storeAppeared, .own)
        settle()
        #expect(pauses.count == 1)
        observer.follow(nil)
        pass()
        #expect(store.questions == 0 && pauses.count == 0)
    }
}

/// The pauses that an observer waits for.
private final class Pauses: Sendable {
    private let planned = Mutex<[(duration: Duration, work: @Sendable () -> Void)]>([])

    var pause: SlotObserver.Pause {
        { [self] duration, work in planned.withLock { $0.append((duration, work)) } }
    }

    var count: Int { planned.withLock(\.count) }
    var last: Duration? { planned.withLock { $0.last?.duration } }

    /// Ends all pauses that have begun.
    func end() {
        let works = planned.withLock { planned in
            defer { planned = [] }
            return planned.map(\.work)
        }
        for work in works { work() }
    }
}

/// A store that says whether it is locked.
private final class LockedStore: ForwardingRecordStore, LockInquiry {
    let base = InMemoryRecordStore()
    private let state = Mutex((isLocked: true, questions: 0))

    var isLocked: Bool {
        get { state.withLock { $0.isLocked } }
        set { state.withLock { $0.isLocked = newValue } }
    }

    var questions: Int { state.withLock { $0.questions } }

    func isStillLocked(by deadline: Deadline) -> Bool {
        state.withLock { state in
            state.questions += 1
            return state.isLocked
        }
    }
}

/// A store whose first watch ends before it is returned.
private final class EndingStore: ForwardingRecordStore {
    let base = InMemoryRecordStore()
    let begun = Mutex(0)

    func watch(
        _ key: RecordKey,
        by deadline: Deadline,
        _ handler: @escaping @Sendable (RecordEvent) -> Void
    ) throws(RecordStoreError) -> any RecordWatch {
        let watch = try base.watch(key, by: deadline, handler)
        let isFirst = begun.withLock { count in
            count += 1
            return count == 1
        }
        if isFirst { handler(.closed) }
        return watch
    }
}

/// Counts reads, none of which needs to be repeated.
private final class Looks: Sendable {
    private struct State {
        var count = 0
        var next: (@Sendable () -> Void)?
    }

    private let state = Mutex(State())

    var count: Int { state.withLock { $0.count } }

    /// Runs `work` in the middle of the next read.
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
