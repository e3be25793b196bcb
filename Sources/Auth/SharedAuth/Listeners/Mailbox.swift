internal import Synchronization

/// Makes calls on whichever of its loops runs first, one at a time and in the order they were posted.
///
/// However many calls wait, each loop is woken once: at most one wake-up per loop is outstanding. A loop that runs takes
/// what waits then, and is woken again for what was posted meanwhile, so that it gets to its other work.
final class Mailbox: Sendable {
    /// A call to make.
    struct Call: Sendable {
        /// The listener that is called; nil for a completion handler, which is never dropped.
        let listener: Listener?
        /// Makes the call. It gets whether it is called on the main actor.
        let make: @Sendable (_ onMainActor: Bool) -> Void
    }

    /// How many calls of one listener are kept for loops of which none has ever run; the oldest ones go.
    static let limit = 100

    private struct State {
        var waiting = WaitingLine<ObjectIdentifier, Call>()
        /// The loops with a wake-up outstanding, by their indices.
        var woken: Set<Int> = []
        /// Whether some loop has run.
        var isServed: Bool
        /// Whether a call is being made.
        var isBusy = false
    }

    private let loops: [EventLoop]
    private let needsMainActor: Bool
    private let state: Mutex<State>

    /// A mailbox served by these loops, or only by those visits of theirs that happen on the main actor.
    init(loops: [EventLoop], needsMainActor: Bool = false) {
        self.loops = loops
        self.needsMainActor = needsMainActor
        state = Mutex(State(isServed: !loops.allSatisfy(\.mayNeverRun)))
    }

    /// Whether no call waits or is being made.
    var isIdle: Bool { state.withLock { $0.waiting.isEmpty && !$0.isBusy } }

    /// How many calls wait.
    var count: Int { state.withLock { $0.waiting.count } }

    /// Posts a call. It is made later, never before this returns, so that locks may be held.
    func post(_ call: Call) {
        // What is dropped is released without the lock.
        let (due, _) = state.withLock { state -> ([Int], Call?) in
            let dropped = makeRoom(for: call, in: &state)
            state.waiting.append(call, of: call.listener.map(ObjectIdentifier.init))
            return (state.isBusy ? [] : claimWakeUps(in: &state), dropped)
        }
        wake(due)
    }

    /// Forgets the calls of a listener that wait.
    func discard(_ listener: Listener) {
        // What is discarded is released without the lock.
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

    /// Makes the calls that wait, unless another loop is at it.
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

/// Makes calls in order, where an app's listeners are called: for modules of this package with listeners of their own.
package final class CallLine: Sendable {
    private let mailbox: Mailbox

    /// A line of calls on an executor.
    package init(_ executor: ListenerExecutor) { mailbox = Mailbox(loops: executor.loops) }

    /// Posts a call. It is made later, never before this returns, so that locks may be held.
    package func post(_ work: @escaping @Sendable () -> Void) {
        mailbox.post(Mailbox.Call(listener: nil) { _ in work() })
    }
}
