internal import Synchronization

/// Where handlers wait until somebody opens it.
package final class Gate: Sendable {
    private let events = EventLog<Void>()

    /// Makes one that is closed.
    package init() {}

    /// Lets all pass, for good.
    package func open() { events.note(()) }

    /// Waits until it is open; no longer than the task lives.
    package func wait() async { _ = await events.first(within: .seconds(86_400)) { _ in true } }
}
