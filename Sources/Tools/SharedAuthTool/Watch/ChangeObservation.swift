internal import CommandLineSupport
internal import Dispatch
internal import SharedAuth
internal import Synchronization

/// Observes the changes of other apps, and reports on standard error, once, if that is not possible.
final class ChangeObservation: Sendable {
    private let store: any RecordStore
    private let timeout: Duration
    private let watch = Mutex<(any RecordWatch)?>(nil)
    private let hasWarned = Once()

    /// Creates an observation of the store that the app's `Auth` uses, so that both observe through the same
    /// connection.
    init(_ store: any RecordStore, timeout: Duration) {
        self.store = store
        self.timeout = timeout
    }

    /// Starts to check that changes are observed. The check ends when this object is released, or when the session's
    /// end ends the process.
    func begin(until session: SessionEnd) {
        // Any record will do: the store reports a lost connection to all watches.
        let key = RecordKey(scope: .project, project: "default", instance: AuthApp.defaultName, kind: "watch")
        do {
            let begun = try store.watch(key, by: .after(timeout)) { [weak self] event in
                guard event == .closed else { return }
                session.endIfOver()
                // The handler must not wait for the bus.
                DispatchQueue.global().async { [weak self] in self?.explainEnd(of: session, key) }
            }
            watch.withLock { $0 = begun }
        } catch {
            warn(error.message)
        }
    }

    /// Reports why nothing is observed: the bus refuses it, or the connection was lost.
    private func explainEnd(of session: SessionEnd, _ key: RecordKey) {
        do {
            _ = try store.watch(key, by: .after(timeout)) { _ in }
            warn("The connection to \(session.connection) was lost.")
        } catch {
            warn(error.code == .denied ? error.message : "The connection to \(session.connection) was lost.")
        }
    }

    /// Reports that nothing is observed, unless that has been reported.
    func warn(_ reason: String) {
        if hasWarned.raise() { return }
        StandardError.write(
            line:
                "Changes that other apps make are not observed at present: \(reason) What was printed last may be out of date."
        )
    }
}

/// A flag that is raised once.
final class Once: Sendable {
    private let isRaised = Atomic(false)

    /// Raises the flag. Returns true if it was already raised.
    func raise() -> Bool { isRaised.exchange(true, ordering: .relaxed) }
}
