internal import SecretService
internal import Synchronization

/// Counts the sequential waits of a service for the bus.
///
/// Requests that were sent before a wait ended belong to the same wait: requests that are awaited together count once.
package final class WaitCounter: WaitObserver {
    private struct State {
        /// The awaited requests, one entry for each wait.
        var waits: [[String]] = []
        /// The number of waits that `takeAll` has returned.
        var taken = 0
    }

    private let state = Mutex(State())

    /// Creates a counter at zero.
    package init() {}

    /// Returns the waits since the last call, one text for each.
    package func takeAll() -> [String] {
        state.withLock { state in
            defer { state.taken = state.waits.count }
            return state.waits[state.taken...].map { $0.joined(separator: " + ") }
        }
    }

    /// The number of waits that have ended.
    package var ended: Int { state.withLock { $0.waits.count } }

    /// Records a reply that a thread has waited for.
    ///
    /// - Parameter before: The number of waits that had ended when the request was sent.
    package func note(_ member: String, sentAfter before: Int) {
        state.withLock { state in
            if before < state.waits.count {
                state.waits[before].append(member)
            } else {
                state.waits.append([member])
            }
        }
    }
}
