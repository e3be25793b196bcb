internal import GLibSupport

/// The threads of this process that want or hold a bus name, first come, first served.
///
/// A bus queues connections, not threads: to a second request from one connection it answers that the name is its own.
final class NameQueue: Sendable {
    private struct State {
        var nextTicket: UInt64 = 0
        var tickets: [String: [UInt64]] = [:]
    }

    private let monitor = Monitor(State())

    /// Waits for the caller's turn; nil at the deadline. The turn lasts until `leave`.
    func join(_ name: String, by deadline: Deadline) -> UInt64? {
        let ticket = monitor.update { state in
            state.nextTicket += 1
            state.tickets[name, default: []].append(state.nextTicket)
            return state.nextTicket
        }
        let isFirst: Void? = monitor.wait(until: deadline) { state in
            state.tickets[name]?.first == ticket ? () : nil
        }
        guard isFirst != nil else {
            leave(name, ticket)
            return nil
        }
        return ticket
    }

    /// Ends a turn, or gives up waiting for it.
    func leave(_ name: String, _ ticket: UInt64) {
        monitor.update { state in
            state.tickets[name]?.removeAll { $0 == ticket }
            if state.tickets[name]?.isEmpty == true {
                state.tickets[name] = nil
            }
        }
    }
}
