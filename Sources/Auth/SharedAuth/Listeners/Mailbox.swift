internal import Synchronization

/// Makes calls on the first of its loops to run, one at a time and in the order of posting.
///
/// At most one wake-up per loop is outstanding, however many calls are queued. A loop that runs makes the calls that
/// are queued at that moment. For calls posted in the meantime, it is woken again, so that it can do its other work.
final class Mailbox: Sendable {
    /// A call to make.
    struct Call: Sendable {
        /// The listener to call; nil for a completion handler, whose call is never dropped.
        let listener: Listener?
        /// Makes the call. The parameter is true on the main actor.
        let make: @Sendable (_ onMainActor: Bool) -> Void
    }

    /// The number of calls of one listener that are kept until a loop first runs; older calls are dropped.
    static let limit = 100

    private struct State {
        var waiting = WaitingLine<ObjectIdentifier, Call>()
        /// The loops with a wake-up outstanding, by their indices.
        var woken: Set<Int> = []
        /// Indicates whether any loop has run.
        var isServed: Bool
        /// Indicates whether a call is in progress.
        var isBusy = false
    }

    private let loops: [EventLoop]
    private let needsMainActor: Bool
    private let state: Mutex<State>

    /// Creates a mailbox that these loops serve; with `needsMainActor`, only when they run on the main actor.
    init(loops: [EventLoop], needsMainActor: Bool = false) {
        self.loops = loops
        self.needsMainActor = needsMainActor
        state = Mutex(State(isServed: !loops.allSatisfy(\.mayNeverRun)))
    }

    /// Indicates whether no call is queued or in progress.
    var isIdle: Bool { state.withLock { $0.waiting.isEmpty && !$0.isBusy } }

    /// The number of queued calls.
    var count: Int { state.withLock { $0.waiting.count } }

    /// Posts a call. It is never made before this method returns, so the caller may hold locks.
    func post(_ call: Call) {
        // A dropped call is released outside the lock.
        let (due, _) = state.withLock { state -> ([Int], Call?) in
            let dropped = makeRoom(for: call, in: &state)
            state.waiting.append(call, of: call.listener.map(ObjectIdentifier.init))
            return (state.isBusy ? [] : claimWakeUps(in: &state), dropped)
        }
        wake(due)
    }

    /// Discards the queued calls of a listener.
    func discard(_ listener: Listener) {
        // Discarded calls are released outside the lock.
        _ = state.withLock { $0.waiting.removeAll(of: ObjectIdentifier(listener)) }
    }

    private func makeRoom(for call: Call, in state: inout State) -> Call? {
        guard !state.isServed, let listener = call.listener.map(ObjectIdentifier.init),
            state.waiting.count(of: listener) == Self.limit
        else { return nil }
        return state.waiting.removeFirst(of: listener)
    }

    private func claimWakeUps(in state: inout State) -> [Int] {
        loops.indices.filter { state.woken.insert($0).inserted }
    }

    private func wake(_ due: [Int]) {
        for index in due { loops[index].wake { [self] onMainActor in visit(index, onMainActor) } }
    }

    /// Makes the queued calls, unless another loop is already making calls.
    private func visit(_ index: Int, _ onMainActor: Bool) {
        var left = state.withLock { state -> Int in
            state.woken.remove(index)
            if needsMainActor, !onMainActor { return 0 }
            state.isServed = true
            guard !state.isBusy else { return 0 }
            state.isBusy = !state.waiting.isEmpty
            return state.waiting.count
        }
        guard left > 0 else { return }
        while left > 0, let call = state.withLock({ $0.waiting.popFirst() }) {
            call.make(onMainActor)
            left -= 1
        }
        let due = state.withLock { state in
            state.isBusy = false
            return state.waiting.isEmpty ? [] : claimWakeUps(in: &state)
        }
        wake(due)
    }
}

/// Makes calls in order on an app's listener executor, for other modules of this package that have listeners.
package final class CallLine: Sendable {
    private let mailbox: Mailbox

    /// Creates a line of calls on an executor.
    package init(_ executor: ListenerExecutor) { mailbox = Mailbox(loops: executor.loops) }

    /// Posts a call. It is never made before this method returns, so the caller may hold locks.
    package func post(_ work: @escaping @Sendable () -> Void) {
        mailbox.post(Mailbox.Call(listener: nil) { _ in work() })
    }
}
