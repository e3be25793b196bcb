internal import DesktopSupport
internal import FoundationEssentials
public import SharedAuthRecords
internal import Synchronization

extension FleetRecordStore {
    /// Watches a key, also while the server is away: a change by another process of this device is then reported.
    ///
    /// - Throws: An error of the local store.
    public func watch(
        _ key: RecordKey,
        by deadline: Deadline,
        _ handler: @escaping @Sendable (RecordEvent) -> Void
    ) throws(RecordStoreError) -> any RecordWatch {
        guard isShared(key) else { return try records.store.watch(key, by: deadline, handler) }
        let copy = try records.store.watch(records.copyKey(of: key), by: deadline, handler)
        let share = listeners.share { [weak self] in self?.listen(until: $0) }
        let watch = KeyWatch(key: key, on: [copy, share], handler: handler)
        listeners.add(watch)
        return watch
    }

    /// Receives the server's notifications on a separate connection until it is cancelled. After each, and each
    /// minute, compares the watched records with the server's, so that sign-outs made meanwhile are carried out.
    private func listen(until end: Cancellation) {
        startThread(named: "fleet-listener") { [weak self] in
            var pause = 1.0
            while !end.isCancelled {
                guard let listening = self?.beginListening(until: end) else {
                    // Many clients return after a restart of the server; not all at the same time.
                    Self.pause(.seconds(pause * .random(in: 0.5...1.5)), until: end)
                    pause = min(30, pause * 2)
                    if self == nil { return }
                    continue
                }
                pause = 1
                while !end.isCancelled {
                    self?.reportChange()
                    do throws(FleetError) {
                        _ = try listening.waitForChange(by: .after(.seconds(60), cancelledBy: end))
                    } catch {
                        self?.reportChange()
                        break
                    }
                }
                listening.close()
            }
        }
    }

    private static func pause(_ time: Duration, until end: Cancellation) {
        let _: Void? = Monitor(()).wait(until: .after(time, cancelledBy: end)) { _ in nil }
    }

    private func beginListening(until end: Cancellation) -> (any FleetSession)? {
        let deadline = Deadline.after(.seconds(20), cancelledBy: end)
        guard let membership = try? connect(by: deadline, isNew: true) else { return nil }
        do throws(FleetError) {
            try membership.session.listen(by: deadline)
            return membership.session
        } catch {
            membership.session.close()
            return nil
        }
    }

    /// Reads the watched records, and reports the change.
    private func reportChange() {
        for watch in listeners.watches {
            _ = try? read(watch.key, by: .after(.seconds(10)))
            watch.tell(.changed)
        }
    }
}

/// The watches of one store, and the listener that serves them while there are any.
final class Listeners: Sendable {
    private struct State {
        var watches = KeyWatches()
        var shares = 0
        var end: Cancellation?
    }

    private let state = Mutex(State())

    /// The watches that still exist.
    var watches: [KeyWatch] { state.withLock { $0.watches.living } }

    func add(_ watch: KeyWatch) { state.withLock { $0.watches.add(watch) } }

    /// Returns a share of the listener. `begin` begins to listen if this is the first share.
    func share(_ begin: (Cancellation) -> Void) -> ListenerShare {
        let end: Cancellation? = state.withLock { state in
            state.shares += 1
            guard state.end == nil else { return nil }
            let end = Cancellation()
            state.end = end
            return end
        }
        if let end { begin(end) }
        return ListenerShare(self)
    }

    fileprivate func leave() {
        let end: Cancellation? = state.withLock { state in
            state.shares -= 1
            guard state.shares == 0 else { return nil }
            defer { state.end = nil }
            return state.end
        }
        end?.cancel()
    }

    func stop() { state.withLock { $0.end }?.cancel() }
}

/// A share of a store's listener, which ends with its last share.
final class ListenerShare: RecordWatch {
    private let listeners: Mutex<Listeners?>

    fileprivate init(_ listeners: Listeners) { self.listeners = Mutex(listeners) }

    deinit { cancel() }

    func cancel() {
        let listeners = listeners.withLock { listeners in
            defer { listeners = nil }
            return listeners
        }
        listeners?.leave()
    }
}
