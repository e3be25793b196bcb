internal import Synchronization

/// Time that passes when the test advances it.
package final class TestTimers: Sendable {
    private struct Pending {
        let id: Int
        let duration: Duration
        let continuation: CheckedContinuation<Bool, Never>
    }

    private struct State {
        var lastID = 0
        var pending: [Pending] = []
        var cancelled: Set<Int> = []
        /// Durations that have passed before a caller waited.
        var due: [Duration] = []
    }

    private let state = Mutex(State())

    package init() {}

    /// Waits. Returns false if it was cancelled.
    package func wait(_ duration: Duration) async -> Bool {
        let id = state.withLock { state in
            state.lastID += 1
            return state.lastID
        }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let answer: Bool? = state.withLock { state in
                    if state.cancelled.remove(id) != nil { return false }
                    if let place = state.due.firstIndex(of: duration) {
                        state.due.remove(at: place)
                        return true
                    }
                    state.pending.append(Pending(id: id, duration: duration, continuation: continuation))
                    return nil
                }
                if let answer { continuation.resume(returning: answer) }
            }
        } onCancel: {
            let pending: Pending? = state.withLock { state in
                guard let place = state.pending.firstIndex(where: { $0.id == id }) else {
                    state.cancelled.insert(id)
                    return nil
                }
                return state.pending.remove(at: place)
            }
            pending?.continuation.resume(returning: false)
        }
    }

    /// Lets a duration pass for the first caller that waits for it, now or later.
    package func pass(_ duration: Duration) {
        let pending: Pending? = state.withLock { state in
            guard let place = state.pending.firstIndex(where: { $0.duration == duration }) else {
                state.due.append(duration)
                return nil
            }
            return state.pending.remove(at: place)
        }
        pending?.continuation.resume(returning: true)
    }
}
