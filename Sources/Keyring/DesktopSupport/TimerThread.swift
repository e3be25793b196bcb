internal import CDesktopSupport
internal import Glibc
internal import Synchronization

extension Timer {
    /// Waits on the thread that all timers share. A timer rings only in the process that has set it, not in a forked
    /// child.
    package static let live: Wait = { duration, work in TimerThread.current.add(after: duration, work) }
}

/// The thread on which all timers of a process wait.
private final class TimerThread: Sendable {
    private struct Entry {
        let number: UInt64
        let due: ContinuousClock.Instant
        let work: @Sendable () -> Void
    }

    private struct State {
        /// Sorted by their time.
        var entries: [Entry] = []
        var lastNumber: UInt64 = 0
    }

    private static let latest = Mutex<TimerThread?>(nil)

    /// The thread of this process. A child forked without exec has none of its parent's threads, but shares its open
    /// files: arming the parent's timer would change when the parent's own timers ring.
    static var current: TimerThread {
        latest.withLock { latest in
            if let latest, latest.isOfThisProcess { return latest }
            let made = TimerThread()
            latest = made
            return made
        }
    }

    private let processID = getpid()
    private let descriptor = cdesktop_timer_create()
    private let state = Monitor(State())

    private init() {
        startThread(named: "timers") { self.run() }
    }

    private var isOfThisProcess: Bool { processID == getpid() }

    func add(after duration: Duration, _ work: @escaping @Sendable () -> Void) -> @Sendable () -> Void {
        let number = state.update { state in
            state.lastNumber += 1
            let entry = Entry(number: state.lastNumber, due: .now + duration, work: work)
            let place = state.entries.firstIndex { $0.due > entry.due } ?? state.entries.endIndex
            state.entries.insert(entry, at: place)
            if place == state.entries.startIndex { arm(for: state) }
            return entry.number
        }
        return { [self] in
            guard isOfThisProcess else { return }
            // Released after the lock: its closure may be the last to hold another timer's owner.
            _ = state.update { state -> Entry? in
                guard let place = state.entries.firstIndex(where: { $0.number == number }) else { return nil }
                defer { if place == state.entries.startIndex { arm(for: state) } }
                return state.entries.remove(at: place)
            }
        }
    }

    /// Sets the kernel's timer to the first entry.
    private func arm(for state: State) {
        let left = state.entries.first.map { ContinuousClock.now.duration(to: $0.due) }
        // A time of zero would stop the kernel's timer.
        cdesktop_timer_set(descriptor, left.map { max(1, $0.wholeMicroseconds * 1000) } ?? 0)
    }

    private func run() {
        while true {
            waitForFirst()
            for entry in takeDue() { entry.work() }
        }
    }

    private func takeDue() -> [Entry] {
        state.update { state in
            let due = Array(state.entries.prefix { $0.due <= .now })
            state.entries.removeFirst(due.count)
            arm(for: state)
            return due
        }
    }

    private func waitForFirst() {
        var count: UInt64 = 0
        if unsafe read(descriptor, &count, MemoryLayout<UInt64>.size) > 0 || errno == EINTR { return }
        // Without a descriptor, as at the limit of open files, a suspension does not count.
        let first = state.wait(until: .after(Timer.longestWait)) { state in state.entries.first?.due }
        guard let first else { return }
        let left = Deadline.after(ContinuousClock.now.duration(to: first))
        _ = state.wait(until: left) { state in state.entries.first?.due == first ? nil : () }
    }
}
