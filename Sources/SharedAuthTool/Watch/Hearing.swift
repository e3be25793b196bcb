internal import CommandLineSupport
internal import SecretService
internal import SharedAuth
internal import Synchronization

/// Whether `watch` hears of changes, and the one place that says so when it does not: once, on standard error.
final class Hearing: Sendable {
    private let store: any RecordStore
    private let deadline: Duration
    private let watch = Mutex<(any RecordWatch)?>(nil)
    private let hasComplained = Mutex(false)

    /// Asks the store that the app's `Auth` uses, so that both hear through the same connection.
    init(_ store: any RecordStore, deadline: Duration) {
        self.store = store
        self.deadline = deadline
    }

    /// Looks whether changes are heard, now and as long as this lives; `closed` is called when that ends.
    func begin(closed: @escaping @Sendable () -> Void) {
        // Any record will do: the store reports for all of them together that it hears nothing more.
        let key = RecordKey(scope: .project, project: "default", instance: AuthApp.defaultName, kind: "watch")
        do {
            let begun = try store.watch(key, within: .after(deadline)) { event in
                if event == .closed { closed() }
            }
            watch.withLock { $0 = begun }
        } catch {
            complain(error.message)
        }
    }

    /// Says that nothing is heard, unless that has been said.
    func complain(_ reason: String) {
        let isFirst = hasComplained.withLock { hasComplained in
            defer { hasComplained = true }
            return !hasComplained
        }
        guard isFirst else { return }
        StandardError.write(
            line:
                "Changes that other apps make are not heard at present: \(reason) What was printed last may be out of date."
        )
    }
}
