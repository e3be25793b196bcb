internal import Synchronization

/// A gate at which handlers wait until it is opened.
package final class Gate: Sendable {
    private let events = EventLog<Void>()

    /// Makes one that is closed.
    package init() {}

    /// Opens the gate; it stays open.
    package func open() { events.note(()) }

    /// Waits until it is open; no longer than the task lives.
    package func wait() async { _ = await events.first(within: .seconds(86_400)) { _ in true } }
}
