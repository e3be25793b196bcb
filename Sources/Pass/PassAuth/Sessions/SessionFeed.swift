internal import DesktopSupport
internal import Dispatch
internal import FoundationEssentials
internal import SharedAuth
internal import Synchronization

/// Watches a store and reads one programmer's session again: once for a burst of signals, and once when its token
/// expires, for which there is no signal.
final class SessionFeed: Sendable {
    /// The reads that are reported.
    enum Filter { case all, changes }

    private struct State {
        var watches: [any RecordWatch] = []
        var isReadPending = false
        /// The read that is due without a signal.
        var alarm: (date: Date, timer: Timer)?
        var last: PassSessionState?
        /// Indicates whether a read that is still running must set no alarm.
        var isOver = false
    }

    private let store: PassTokenStore
    private let requestor: RequestorConfiguration
    private let filter: Filter
    private let continuation: AsyncStream<PassSessionState>.Continuation
    private let queue = DispatchQueue(label: "PassAuth.SessionFeed")
    private let state = Mutex(State())

    init(
        of store: PassTokenStore,
        _ requestor: RequestorConfiguration,
        _ filter: Filter,
        _ continuation: AsyncStream<PassSessionState>.Continuation
    ) {
        self.store = store
        self.requestor = requestor
        self.filter = filter
        self.continuation = continuation
    }

    func begin() throws(PassStoreError) {
        do throws(RecordStoreError) {
            let deadline = store.deadline
            for part in store.layouts {
                let watch = try store.store.watch(part.records.indexKey, by: deadline) { [weak self] event in
                    self?.handle(event)
                }
                state.withLock { $0.watches.append(watch) }
            }
        } catch {
            throw PassStoreError(error)
        }
        scheduleRead()
    }

    func end() {
        state.withLock { state in
            state.watches = []
            state.alarm?.timer.cancel()
            state.alarm = nil
            state.isOver = true
        }
    }

    private func handle(_ event: RecordEvent) {
        switch event {
        case .changed, .lockChanged, .storeAppeared:
            scheduleRead()
        case .storeVanished:
            // The last known state stays.
            break
        case .closed:
            let error = RecordStoreError(.unavailable, "The connection to the keyring has ended.")
            queue.async { [self] in
                continuation.yield(.failed(PassStoreError(error)))
                continuation.finish()
            }
        }
    }

    private func scheduleRead() {
        let isNew = state.withLock { state in
            defer { state.isReadPending = true }
            return !state.isReadPending
        }
        if isNew { queue.async { [weak self] in self?.read() } }
    }

    private func read() {
        state.withLock { $0.isReadPending = false }
        let found: PassSessionState
        do throws(PassStoreError) {
            found = try store.session(of: requestor).map(PassSessionState.signedIn) ?? .signedOut
        } catch {
            found = .failed(error)
        }
        let isNew = state.withLock { state in
            defer { state.last = found }
            return !(state.last?.isSame(as: found) ?? false)
        }
        if case .signedIn(let session) = found { setAlarm(at: session.token.expires) } else { setAlarm(at: nil) }
        if isNew || filter == .all { continuation.yield(found) }
    }

    /// Sets the time of the next read without a signal, in place of an earlier one; nil for none.
    private func setAlarm(at date: Date?) {
        state.withLock { state in
            if state.isOver || state.alarm?.date == date { return }
            state.alarm?.timer.cancel()
            state.alarm = date.map { date in
                (date, Timer(at: date, by: store.options.now) { [weak self] in self?.ring(date) })
            }
        }
    }

    private func ring(_ date: Date) {
        let isPresent = state.withLock { state in
            guard state.alarm?.date == date else { return false }
            state.alarm = nil
            return true
        }
        if isPresent { scheduleRead() }
    }
}
