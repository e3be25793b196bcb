internal import Synchronization

/// Counts at how many points in sequence a service has waited for an answer of the bus; for tests.
///
/// What was sent before a wait ended is answered in the same time: requests that are awaited together count once.
package final class WaitCounter: Sendable {
    private struct State {
        /// What was waited for, one entry for each wait.
        var waits: [[String]] = []
        /// How many of the waits were taken.
        var taken = 0
    }

    private let state = Mutex(State())

    /// Makes one that has counted nothing.
    package init() {}

    /// What was waited for since the last call, one text for each wait.
    package func takeAll() -> [String] {
        state.withLock { state in
            defer { state.taken = state.waits.count }
            return state.waits[state.taken...].map { $0.joined(separator: " + ") }
        }
    }

    /// How many waits have ended.
    var ended: Int { state.withLock { $0.waits.count } }

    /// Notes that an answer has come for which a thread has waited.
    ///
    /// - Parameter before: how many waits had ended when the request was sent.
    func note(_ member: String, sentAfter before: Int) {
        state.withLock { state in
            if before < state.waits.count {
                state.waits[before].append(member)
            } else {
                state.waits.append([member])
            }
        }
    }
}
