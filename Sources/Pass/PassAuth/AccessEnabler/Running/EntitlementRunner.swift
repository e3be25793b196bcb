internal import Dispatch
internal import FoundationEssentials
internal import SharedAuth
internal import Synchronization

/// The only place that performs the engine's effects: it calls the back end and the store, waits, and notifies the app.
///
/// Events are handled one at a time on a private queue, on which the store is also read and written.
final class EntitlementRunner: Sendable {
    /// Waits for a duration; returns false if it was cancelled.
    typealias Wait = @Sendable (Duration) async -> Bool

    private struct State {
        var engine: EntitlementEngine
        var lastCall: CallID = 0
        var waiters: [CallID: Waiter] = [:]
        /// The tasks in progress, by ticket.
        var tasks: [Ticket: [Task<Void, Never>]] = [:]
        var watch: Task<Void, Never>?
        /// The session to watch.
        var watched: RequestorConfiguration?
        var isWatching = false
        var isOver = false
    }

    private struct Waiter {
        let finish: @Sendable (CallOutcome) -> Void
    }

    private let store: EntitlementStore
    private let caller: BackEndCaller
    private let limit: Duration
    private let wait: Wait
    private let pause: ServerPause
    private let tell: @Sendable (EntitlementEvent) -> Void
    private let queue = DispatchQueue(label: "PassAuth.AccessEnabler")
    private let state: Mutex<State>

    init(
        _ engine: EntitlementEngine,
        store: EntitlementStore,
        caller: BackEndCaller,
        limit: Duration,
        pause: ServerPause,
        wait: @escaping Wait,
        tell: @escaping @Sendable (EntitlementEvent) -> Void
    ) {
        self.store = store
        self.caller = caller
        self.limit = limit
        self.wait = wait
        self.tell = tell
        self.pause = pause
        state = Mutex(State(engine: engine))
    }

    /// Makes a call; `finish` is called once, when the call has ended, but not after `stop()`.
    @discardableResult
    func call(_ make: (CallID) -> EntitlementCall, _ finish: (@Sendable (CallOutcome) -> Void)? = nil) -> CallID {
        let id = state.withLock { state in
            state.lastCall += 1
            if let finish { state.waiters[state.lastCall] = Waiter(finish: finish) }
            return state.lastCall
        }
        post(.called(id, make(id)))
        return id
    }

    /// The number of tickets that have tasks.
    var ticketsUnderWay: Int { state.withLock { $0.tasks.count } }

    /// Ends everything; nothing is delivered after it.
    func stop() {
        let tasks = state.withLock { state in
            defer { (state.tasks, state.watch, state.isOver) = ([:], nil, true) }
            return state.tasks.values.flatMap { $0 } + [state.watch].compactMap { $0 }
        }
        for task in tasks { task.cancel() }
    }

    private func post(_ event: EngineEvent) {
        queue.async { [self] in handle(event) }
    }

    private func handle(_ event: EngineEvent) {
        var events = [event]
        while !events.isEmpty {
            let event = events.removeFirst()
            if state.withLock({ $0.isOver }) { return }
            let (configured, named) = state.withLock { ($0.engine.configuration?.requestor, $0.engine.requestor) }
            let facts = store.facts(for: event, of: configured, named: named)
            let effects = state.withLock { $0.engine.handle(event, facts) }
            // Events that follow directly are handled before others, in order.
            events.insert(contentsOf: effects.compactMap(perform), at: 0)
        }
    }

    /// Performs one effect; returns the event that follows directly, if there is one.
    private func perform(_ effect: EngineEffect) -> EngineEvent? {
        switch effect {
        case .ask(let ticket, let question, let request): ask(ticket, question, request)
        case .wait(let ticket, let duration):
            begin(ticket) { runner in
                if await runner.wait(duration), runner.end(ticket) { runner.post(.elapsed(ticket)) }
            }
        case .cancel(let ticket):
            end(ticket)
        case .tell(let event): tell(event)
        case .end(let id, let outcome):
            let waiter = state.withLock { $0.waiters.removeValue(forKey: id) }
            waiter?.finish(outcome)
        case .resume(let id, let call): return .called(id, call)
        case .watch(let requestor): watch(requestor)
        case .store(let ticket, let step):
            do throws(PassStoreError) {
                return .stored(ticket, .success(try store.perform(step)))
            } catch {
                return .stored(ticket, .failure(error))
            }
        }
        return nil
    }

    private func ask(_ ticket: Ticket, _ question: BackEndQuestion, _ request: PassRequest) {
        begin(ticket) { runner in
            // The first to finish gives the result; the ticket is void for the other.
            runner.go(on: ticket) { runner in
                if await runner.wait(runner.limit) {
                    runner.answer(ticket, .failure(PassBackendError(.timedOut, "The server did not answer in time.")))
                }
            }
            do throws(PassBackendError) {
                let pause = try runner.pause.wait()
                if pause > .zero, await !runner.wait(pause) { return }
            } catch {
                return runner.answer(ticket, .failure(error))
            }
            if Task.isCancelled { return }
            do throws(PassBackendError) {
                runner.answer(ticket, .success(try await runner.caller.answer(question, request)))
            } catch {
                if error.code == .throttled { runner.pause.begin(error.retryAfter) }
                runner.answer(ticket, .failure(error))
            }
        }
    }

    private func answer(_ ticket: Ticket, _ answer: Result<BackEndAnswer, PassBackendError>) {
        if end(ticket) { post(.answered(ticket, answer)) }
    }

    private func begin(_ ticket: Ticket, _ work: @escaping @Sendable (EntitlementRunner) async -> Void) {
        state.withLock { if !$0.isOver { $0.tasks[ticket] = [] } }
        go(on: ticket, work)
    }

    /// Starts another task for a ticket that is still open.
    private func go(on ticket: Ticket, _ work: @escaping @Sendable (EntitlementRunner) async -> Void) {
        state.withLock { state in
            if state.tasks[ticket] == nil { return }
            let task = Task { [weak self] in
                if let self { await work(self) }
            }
            state.tasks[ticket]?.append(task)
        }
    }

    /// Cancels all tasks of a ticket; returns whether it was open.
    @discardableResult
    private func end(_ ticket: Ticket) -> Bool {
        let tasks = state.withLock { $0.tasks.removeValue(forKey: ticket) }
        for task in tasks ?? [] { task.cancel() }
        return tasks != nil
    }

    /// Watches the session for changes by others, until the programmer's configuration changes. If the store could not
    /// be watched, or has ended the watch with its connection, tries again after 1, 2, 4 … 60 seconds, and with the next
    /// configuration.
    private func watch(_ requestor: RequestorConfiguration) {
        let isNew = state.withLock { state in
            defer { state.watched = requestor }
            return state.watched != requestor || !state.isWatching
        }
        if isNew { watch(requestor, after: 0) }
    }

    private func watch(_ requestor: RequestorConfiguration, after failures: Int) {
        let reads = try? store.tokens.reads(.all, of: requestor)
        state.withLock { $0.isWatching = reads != nil }
        let task = Task { [weak self] in
            var failures = failures
            if let reads {
                // The first one is the present state, which tells what was missed.
                for await state in reads {
                    if case .failed = state {} else { failures = 0 }
                    self?.post(.storeChanged)
                }
            }
            guard !Task.isCancelled else { return }
            self?.state.withLock { $0.isWatching = false }
            failures += 1
            guard let wait = self?.wait, await wait(.pause(afterFailures: failures)) else { return }
            self?.watchAgain(requestor, after: failures)
        }
        let old = state.withLock { state -> Task<Void, Never>? in
            if state.isOver { return task }
            defer { state.watch = task }
            return state.watch
        }
        old?.cancel()
    }

    private func watchAgain(_ requestor: RequestorConfiguration, after failures: Int) {
        queue.async { [self] in
            let isDue = state.withLock { $0.watched == requestor && !$0.isWatching && !$0.isOver }
            if isDue { watch(requestor, after: failures) }
        }
    }
}
