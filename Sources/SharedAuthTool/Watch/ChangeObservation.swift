internal import CommandLineSupport
internal import SharedAuth
internal import Synchronization

/// Whether changes that other apps make are observed, and the one place that says so when they are not: once, on
/// standard error.
final class ChangeObservation: Sendable {
    private let store: any RecordStore
    private let timeout: Duration
    private let watch = Mutex<(any RecordWatch)?>(nil)
    private let hasWarned = Once()

    /// Asks the store that the app's `Auth` uses, so that both observe through the same connection.
    init(_ store: any RecordStore, timeout: Duration) {
        self.store = store
        self.timeout = timeout
    }

    /// Checks that changes are observed, now and as long as this lives, or until the session ends the process.
    func begin(until session: SessionEnd) {
        // Any record will do: the store reports for all of them together that it observes nothing more.
        let key = RecordKey(scope: .project, project: "default", instance: AuthApp.defaultName, kind: "watch")
        do {
            let begun = try store.watch(key, by: .after(timeout)) { [weak self] event in
                guard event == .closed else { return }
                session.endIfOver()
                self?.warn("The connection to \(session.connection) was lost.")
            }
            watch.withLock { $0 = begun }
        } catch {
            warn(error.message)
        }
    }

    /// Says that nothing is observed, unless that has been said.
    func warn(_ reason: String) {
        if hasWarned.raise() { return }
        StandardError.write(
            line:
                "Changes that other apps make are not observed at present: \(reason) What was printed last may be out of date."
        )
    }
}

/// Something that happens once.
final class Once: Sendable {
    private let isRaised = Atomic(false)

    /// Raises it; whether it was raised before.
    func raise() -> Bool { isRaised.exchange(true, ordering: .relaxed) }
}
