internal import DesktopSupport

/// The threads of this process that hold or wait for a bus name, in order of arrival.
///
/// A bus queues connections, not threads: it replies to a second request from a connection that it owns the name
/// already.
final class NameQueue: Sendable {
    private struct State {
        var nextTicket: UInt64 = 0
        var tickets: [String: [UInt64]] = [:]
    }

    private let monitor = Monitor(State())

    /// Waits until the caller is first in the queue. Returns nil at the deadline. The caller stays first until `leave`.
    /// Calls `queued` before a wait.
    func join(_ name: String, by deadline: Deadline, queued: () -> Void) -> UInt64? {
        let (ticket, mustWait) = monitor.update { state in
            state.nextTicket += 1
            state.tickets[name, default: []].append(state.nextTicket)
            return (state.nextTicket, state.tickets[name]?.first != state.nextTicket)
        }
        if mustWait { queued() }
        let isFirst: Void? = monitor.wait(until: deadline) { state in
            state.tickets[name]?.first == ticket ? () : nil
        }
        guard isFirst != nil else {
            leave(name, ticket)
            return nil
        }
        return ticket
    }

    /// Leaves the queue, from any position.
    func leave(_ name: String, _ ticket: UInt64) {
        monitor.update { state in
            state.tickets[name]?.removeAll { $0 == ticket }
            if state.tickets[name]?.isEmpty == true {
                state.tickets[name] = nil
            }
        }
    }
}
