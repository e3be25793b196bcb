internal import Dispatch
internal import Synchronization

/// The first load of an engine. The first caller begins it, and it runs on a separate thread.
final class FirstLoad: Sendable {
    private struct State {
        var isBegun = false
        var hasEnded = false
    }

    private let state = Mutex(State())
    private let ended = DispatchGroup()

    /// Begins the load, unless it has begun before.
    func begin(_ load: @escaping @Sendable () -> Void) {
        let isFirst = state.withLock { state in
            defer { state.isBegun = true }
            return !state.isBegun
        }
        guard isFirst else { return }
        ended.enter()
        // Not on the engine's queue, where a call may wait for the load.
        DispatchQueue(label: "SharedAuth.load").async { [self] in
            load()
            state.withLock { $0.hasEnded = true }
            ended.leave()
        }
    }

    /// Blocks until a load that has begun ends, or until the deadline.
    ///
    /// - Returns: true if the load has ended.
    func wait(by deadline: Deadline) -> Bool {
        if state.withLock(\.hasEnded) { return true }
        return ended.wait(timeout: deadline.dispatchTime) == .success
    }
}
