internal import Synchronization

/// A gate that blocks handlers until it is opened.
package final class Gate: Sendable {
    private let events = EventLog<Void>()

    /// Creates a closed gate.
    package init() {}

    /// Opens the gate; it stays open.
    package func open() { events.note(()) }

    /// Waits until the gate is open or the task is cancelled, for at most a day.
    package func wait() async { _ = await events.first(within: .seconds(86_400)) { _ in true } }
}
