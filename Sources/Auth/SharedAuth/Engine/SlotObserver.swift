internal import DesktopSupport
internal import Dispatch
internal import Synchronization

/// Watches the store for changes of the slot in use, and has the slot read again once per burst of changes.
///
/// A watch that cannot start, or that ends with the store's connection, is started again after 1, 2, 4 … 60 seconds,
/// and by each operation on the `Auth`.
///
/// While the keyring is locked, the store is asked every few seconds whether it still is: not every daemon signals that a
/// collection was unlocked.
final class SlotObserver: Sendable {
    /// A watch that began before its slot was read.
    fileprivate struct EarlyWatch {
        let slot: Slot
        let watch: any RecordWatch
        let generation: UInt64
    }

    fileprivate struct State {
        var slot: Slot?
        /// The watch of a slot that is about to be used.
        var early: EarlyWatch?
        var watch: (any RecordWatch)?
        /// The watch on the former slot, which continues until the present watch has begun.
        var formerWatch: (any RecordWatch)?
        var isRereadPending = false
        /// The slots whose changes were not read yet. After a switch, changes of the former slot do not count.
        var changed: Set<Slot> = []
        /// True if an event that concerns every slot was reported.
        var isRereadDue = false
        var isRetryPending = false
        /// True if the pending retry also reads the slot, besides starting the watch.
        var isRereadRetried = false
        var isDaemonNew = true
        /// Counts the moments at which a watch may have ended, or another daemon may have appeared.
        var generation: UInt64 = 0
        /// Counts the ends of watches. One that began before the last end may have ended, too.
        var endings: UInt64 = 0
        var failures = 0
        /// True if the last read found the keyring locked.
        var isLocked = false
        /// True if the daemon has left the bus. A question would start it.
        var isDaemonGone = false
        var isQuestionPending = false
    }

    /// Runs work after a duration. Tests replace it.
    typealias Pause = @Sendable (Duration, @escaping @Sendable () -> Void) -> Void

    /// The pause between two questions whether the keyring is still locked.
    static let questionPause = Duration.seconds(3)

    /// Reads the slot again, if that is still due when no operation runs. Returns true if the slot must be read once
    /// more later, although no change will be reported.
    ///
    /// Stored in a struct to avoid a reabstraction thunk each time it is taken out of the generic `Mutex`.
    private struct Reread {
        let call: @Sendable (_ isDue: () -> Bool) -> Bool
    }

    private let slots: UserSlots
    private let timeout: Duration
    private let queue: DispatchQueue
    private let pause: Pause
    private let reread: Mutex<Reread?>
    private let state = Mutex(State())

    /// Creates an observer that observes nothing yet and reads the slot on `queue`.
    init(
        slots: UserSlots,
        timeout: Duration,
        queue: DispatchQueue,
        pause: @escaping Pause = { Timer(after: $0, ring: $1) }
    ) {
        self.slots = slots
        self.timeout = timeout
        self.queue = queue
        self.pause = pause
        reread = Mutex(nil)
    }

    /// Sets the closure that reads the slot again.
    func reread(by reread: @escaping @Sendable (_ isDue: () -> Bool) -> Bool) {
        self.reread.withLock { $0 = Reread(call: reread) }
    }

    /// Begins to watch a slot that is about to be read and then used, so that no second read is needed. Does nothing if
    /// the slot is already watched, or cannot be.
    func watchEarly(_ slot: Slot, by deadline: Deadline) {
        let generation = state.withLock { $0.slot == slot && $0.watch != nil ? nil : $0.generation }
        guard let generation, let watch = try? begin(slot, isReadNext: true, by: deadline) else { return }
        setEarly(EarlyWatch(slot: slot, watch: watch, generation: generation))
    }

    /// Ends the early watch of a slot that is not used after all.
    func endEarlyWatch() { setEarly(nil) }

    private func setEarly(_ early: EarlyWatch?) {
        // A watch is released outside the lock.
        _ = state.withLock { state in
            defer { state.early = early }
            return state.early
        }
    }

    /// Watches a slot from now on, or none. Unless an early watch covers the slot, it is read again when the watch has
    /// begun.
    func follow(_ slot: Slot?) {
        let (isWatching, former) = state.withLock { state -> (Bool, [any RecordWatch]) in
            if state.slot == slot, state.watch != nil { return (true, []) }
            state.slot = slot
            let early = state.early.flatMap { early in
                // An early watch of another generation may have ended.
                early.slot == slot && early.generation == state.generation ? early.watch : nil
            }
            if slot == nil || early != nil {
                defer { (state.watch, state.formerWatch, state.early) = (early, nil, nil) }
                return (true, [state.watch, state.formerWatch].compactMap(\.self))
            }
            state.formerWatch = state.watch ?? state.formerWatch
            state.watch = nil
            return (false, [])
        }
        for watch in former { watch.cancel() }
        if let slot, !isWatching { queue.async { [weak self] in self?.watch(slot) } }
    }

    /// Stops watching.
    func stop() {
        reread.withLock { $0 = nil }
        let watches = state.withLock { state in
            defer { state = State() }
            return [state.watch, state.formerWatch, state.early?.watch]
        }
        for watch in watches { watch?.cancel() }
    }

    /// Indicates whether changes of the slot in use are observed.
    var isObserving: Bool { state.withLock { $0.watch != nil } }

    /// Starts the watch again if it has ended.
    func resume() {
        let slot = state.withLock { $0.watch == nil ? $0.slot : nil }
        if let slot { follow(slot) }
    }

    /// Reads the slot in use again, as after a change.
    func readAgain() { scheduleReread() }

    /// Reads the slot in use again later, after a failure whose end no signal announces.
    func rereadLater() { retry(rereading: true) }

    /// Blocks until the slot was read for every change reported so far.
    func waitUntilIdle() { queue.sync {} }

    /// Returns whether this call is the first, or the first since a keyring daemon appeared.
    func takeNewDaemon() -> Bool {
        state.withLock { state in
            defer { state.isDaemonNew = false }
            return state.isDaemonNew
        }
    }

    private func begin(
        _ slot: Slot,
        isReadNext: Bool = false,
        by deadline: Deadline
    ) throws -> any RecordWatch {
        let key = try slots.key(slot)
        let handler: @Sendable (RecordEvent) -> Void = { [weak self] event in self?.handle(event, slot) }
        return isReadNext
            ? try slots.store.watchBeforeReading(key, by: deadline, handler)
            : try slots.store.watch(key, by: deadline, handler)
    }

    private func watch(_ slot: Slot) {
        let endings = state.withLock { $0.slot == slot && $0.watch == nil ? $0.endings : nil }
        guard let endings else { return }
        guard let watch = try? begin(slot, by: .after(timeout)) else {
            return retry()
        }
        let (isCurrent, obsolete) = state.withLock { state -> (Bool, (any RecordWatch)?) in
            // A watch of an earlier connection has ended, and a retry begins another.
            guard state.slot == slot, state.endings == endings else { return (false, watch) }
            defer { (state.watch, state.formerWatch) = (watch, nil) }
            return (true, state.formerWatch)
        }
        obsolete?.cancel()
        if isCurrent {
            scheduleReread()
            askLater()
        }
    }

    /// Handles an event of the watch on a slot.
    func handle(_ event: RecordEvent, _ slot: Slot) {
        switch event {
        case .closed:
            state.withLock { state in
                state.generation += 1
                state.endings += 1
                state.formerWatch = nil
                // Both may come back before another watch begins, which then hears of neither.
                state.isDaemonGone = false
                if state.slot == slot { state.watch = nil }
            }
            retry()
        case .storeVanished:
            // The last known state is kept.
            state.withLock { state in
                state.generation += 1
                state.isDaemonGone = true
            }
        case .storeAppeared:
            state.withLock { state in
                state.generation += 1
                state.isDaemonNew = true
                state.isDaemonGone = false
            }
            scheduleReread()
            askLater()
        case .changed:
            scheduleReread(about: slot)
        case .lockChanged:
            scheduleReread()
        }
    }

    /// Schedules a read of the slot in use. If `slot` is given, it is read only if it is the slot in use.
    private func scheduleReread(about slot: Slot? = nil) {
        let isNew = state.withLock { state in
            if let slot { state.changed.insert(slot) } else { state.isRereadDue = true }
            defer { state.isRereadPending = true }
            return !state.isRereadPending
        }
        if isNew { queue.async { [weak self] in self?.rereadNow() } }
    }

    private func rereadNow() {
        state.withLock { $0.isRereadPending = false }
        guard let reread = reread.withLock({ $0 }) else { return }
        let isLater = reread.call {
            state.withLock { state in
                defer { (state.changed, state.isRereadDue) = ([], false) }
                return state.isRereadDue || state.slot.map(state.changed.contains) ?? true
            }
        }
        if isLater {
            retry(rereading: true)
        } else {
            state.withLock { $0.failures = 0 }
        }
    }

    /// Schedules a retry in 1, 2, 4 … 60 seconds, for a failure whose end no signal announces. The retry starts the
    /// watch if it is missing by then, and reads the slot if a read has failed by then. Failures before the retry share
    /// it.
    private func retry(rereading: Bool = false) {
        let failures = state.withLock { state -> Int? in
            if rereading { state.isRereadRetried = true }
            if state.isRetryPending { return nil }
            state.isRetryPending = true
            state.failures += 1
            return state.failures
        }
        guard let failures else { return }
        Timer(after: .pause(afterFailures: failures)) { [weak self, queue] in
            queue.async { [weak self] in self?.tryAgain() }
        }
    }

    private func tryAgain() {
        let rereads = state.withLock { state in
            defer { (state.isRetryPending, state.isRereadRetried) = (false, false) }
            return state.isRereadRetried
        }
        resume()
        if rereads { scheduleReread() }
    }
}

// MARK: - A locked keyring

extension SlotObserver {
    /// Notes whether the last read found the keyring locked.
    func note(isLocked: Bool) {
        state.withLock { $0.isLocked = isLocked }
        askLater()
    }

    /// Plans the next question, if the keyring is locked and none is planned.
    private func askLater() {
        let isNew = state.withLock { state in
            guard state.asksForLock, !state.isQuestionPending else { return false }
            state.isQuestionPending = true
            return true
        }
        guard isNew else { return }
        pause(Self.questionPause) { [weak self, queue] in
            queue.async { [weak self] in self?.ask() }
        }
    }

    /// Asks the store whether the keyring is still locked, and has the slot read again if it is not.
    private func ask() {
        let isDue = state.withLock { state in
            state.isQuestionPending = false
            return state.asksForLock
        }
        guard isDue else { return }
        if let store = slots.store as? any LockInquiry, !store.isStillLocked(by: .after(timeout)) { scheduleReread() }
        askLater()
    }
}

extension SlotObserver.State {
    /// Indicates whether the store is asked for its lock: only while it is locked, and a signal may be missed.
    fileprivate var asksForLock: Bool { isLocked && !isDaemonGone && watch != nil }
}

extension AuthErrorCode {
    /// Indicates whether a later try might succeed without a signal that announces it.
    var mayPassUnheard: Bool {
        [.timedOut, .outcomeUnknown, .conflict, .keychainError, .stateDirectoryUnusable].contains(self)
    }
}
