internal import DesktopSupport
internal import FoundationEssentials
internal import SharedAuthRecords
internal import Synchronization

/// The times of a listening process and of those that rely on it.
struct ListenerTimes: Sendable {
    /// The time after which the listening process reads the records again, although the server reported no change.
    var confirmation = Duration.seconds(60)

    /// The time after which another process asks the listening one whether it runs. If it does not, as when it is
    /// stopped, the other process reads the records itself.
    var patience: Duration { confirmation * 3 / 2 }
    /// The time that the listening process has for its reply.
    var reply = Duration.seconds(2)
}

/// Feeds a device's copies from the server while a store has watches: one process of a session listens, the others
/// learn of changes from the local store.
///
/// The listening process gives up its seat if it cannot use the server, so that another process tries. It is never in a
/// transaction.
struct ChangeListener: Sendable {
    private let store: WeakStore
    private let election: ListenerElection
    private let times: ListenerTimes
    private let end: Cancellation
    private let wakes = WakeUps()

    private struct WeakStore: Sendable {
        weak var store: FleetRecordStore?
    }

    /// The reason why the listening process stops waiting.
    private enum Occasion {
        case change, time, wakeUp
    }

    init(for store: FleetRecordStore, until end: Cancellation) {
        self.store = WeakStore(store: store)
        (election, times) = (store.election, store.times)
        self.end = end
    }

    /// Listens, or waits for the listening process, until it is cancelled or the store is gone.
    func run() {
        end.observed(by: { [wakes] in wakes.wake() }) {
            var pause = 1.0
            while !end.isCancelled, store.store != nil {
                if takePart() {
                    pause = 1
                } else {
                    // Many clients return after a restart of the server; not all at the same time.
                    let time = Duration.seconds(pause * .random(in: 0.5...1.5))
                    let _: Void? = Monitor(()).wait(until: .after(time, cancelledBy: end)) { _ in nil }
                    pause = min(30, pause * 2)
                }
            }
            store.store?.feed.end()
        }
    }

    /// Takes part in one election. Returns false if this process was elected and could not use the server.
    private func takePart() -> Bool {
        guard let device = store.store?.deviceID else { return false }
        let before = store.store?.confirmations
        let outcome = election.hold(device, by: .after(times.patience, cancelledBy: end)) {
            store.store?.feed.setLive(true, for: device)
        }
        guard case .elected(let seat) = outcome else {
            guard !end.isCancelled, before == store.store?.confirmations else { return true }
            if election.isAnswered(device, by: .after(times.reply, cancelledBy: end)) {
                store.store?.noteConfirmations(before: times.confirmation)
            } else if !end.isCancelled {
                store.store?.confirmWatched()
            }
            return true
        }
        store.store?.feed.setLive(false, for: device)
        defer {
            store.store?.feed.setLive(false, for: device)
            seat.release()
        }
        return listen(for: device, while: seat)
    }

    /// Listens, and feeds the copies. Returns false if the server could not be used from the beginning.
    private func listen(for device: String, while seat: ListenerSeat) -> Bool {
        guard var membership = store.store?.beginListening(by: .after(.seconds(20), cancelledBy: end)) else {
            store.store?.disownCopies()
            return false
        }
        defer { membership.session.close() }
        // Another process that begins to watch a record adds it to the device's list of copies.
        let list = store.store?.watchList { [wakes] in wakes.wake() }
        defer { list?.cancel() }
        var (occasion, fed) = (Occasion.change, Set<RecordKey>?.none)
        var due = ContinuousClock.now
        while !end.isCancelled, seat.isHeld {
            let wake = wakes.next()
            guard !end.isCancelled, let keys = store.store?.fedKeys(of: device) else { break }
            if occasion != .wakeUp || keys != fed {
                guard store.store?.feedCopies(keys, through: &membership) == true else { break }
                fed = keys
                store.store?.feed.setLive(true, for: device)
                if occasion == .change { store.store?.tellWatches() }
                if occasion != .wakeUp { due = .now + times.confirmation }
            }
            do throws(FleetError) {
                let hears = try membership.session.waitForChange(
                    by: .after(ContinuousClock.now.duration(to: due), cancelledBy: wake)
                )
                occasion = hears ? .change : wake.isCancelled ? .wakeUp : .time
            } catch {
                break
            }
        }
        if end.isCancelled { store.store?.storeConfirmations() } else { store.store?.disownCopies() }
        return fed != nil
    }
}

/// Ends the wait of a thread early.
private final class WakeUps: Sendable {
    private let current = Mutex(Cancellation())

    /// Returns the cancellation for the next wait. It ends the wait even if ``wake()`` is called before that begins.
    func next() -> Cancellation {
        current.withLock { current in
            current = Cancellation()
            return current
        }
    }

    func wake() { current.withLock { $0 }.cancel() }
}
