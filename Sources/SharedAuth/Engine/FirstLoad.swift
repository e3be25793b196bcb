internal import Dispatch
internal import Synchronization

/// The first load of an engine: begun once, by whoever comes first, on a thread of its own.
final class FirstLoad: Sendable {
    private struct State {
        var isBegun = false
        var hasEnded = false
    }

    private let state = Mutex(State())
    private let ended = DispatchGroup()

    /// Begins the load, unless that was done.
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

    /// Waits for the end of a load that was begun.
    ///
    /// - Returns: whether it has ended.
    func wait(by deadline: Deadline) -> Bool {
        if state.withLock(\.hasEnded) { return true }
        return ended.wait(timeout: deadline.dispatchTime) == .success
    }
}
