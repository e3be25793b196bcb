internal import DesktopSupport
internal import Synchronization

/// Lets the callers of one process share one refresh of one account.
final class RefreshCoalescer: Sendable {
    struct Key: Hashable {
        let slot: Slot?
        let account: AccountID
        /// Distinguishes users that are in no slot.
        let object: ObjectIdentifier?
        /// The scopes of the refresh.
        var scopes: Set<String>?
    }

    private struct Refresh {
        let task: Task<Result<UserTokens, AuthError>, Never>
        let wait: TurnWait
    }

    private let running = Mutex<[Key: Refresh]>([:])

    /// Waits for the end of a refresh that is running and may have sent its request already. A caller that wants to
    /// know what has changed at the identity provider until now cannot use its result.
    func waitForRequest(of key: Key) async {
        guard let earlier = running.withLock({ $0[key] }), earlier.wait.hasEnded else { return }
        _ = await earlier.task.value
    }

    /// Joins the running refresh, or starts `refresh`. Cancelling a caller does not cancel the others.
    ///
    /// - Parameters:
    ///   - patience: how long the caller waits for this process to have the turn to refresh; nil for as long as it
    ///     takes. A refresh whose callers have all left takes no turn.
    ///   - refresh: refreshes the tokens, and ends the wait once it has the turn.
    /// - Returns: the refreshed tokens; nil if the caller has left.
    /// - Throws: the error of the refresh.
    func tokens(
        for key: Key,
        leavingAfter patience: Duration? = nil,
        _ refresh: @escaping @Sendable (TurnWait) async throws(AuthError) -> UserTokens
    ) async throws(AuthError) -> UserTokens? {
        let present = running.withLock { running in
            if let present = running[key], present.wait.join() { return present }
            let wait = TurnWait()
            let task = Task { [self] in
                let result: Result<UserTokens, AuthError>
                do throws(AuthError) {
                    result = .success(try await refresh(wait))
                } catch {
                    result = .failure(error)
                }
                try? wait.end()
                // A refresh whose callers have all left may have been replaced.
                self.running.withLock { running in
                    if running[key]?.wait === wait { running[key] = nil }
                }
                return result
            }
            let begun = Refresh(task: task, wait: wait)
            running[key] = begun
            return begun
        }
        if let patience, await present.wait.leave(after: patience) { return nil }
        return try await present.task.value.get()
    }
}

/// The callers that wait until their process has the turn to refresh.
final class TurnWait: Sendable {
    private struct State {
        var callers = 1
        var hasEnded = false
        /// The callers that may leave, and are notified when the wait ends.
        var impatient: [Race<Void>] = []
    }

    private let state = Mutex(State())
    /// Cancelled once all callers have left.
    let cancellation = Cancellation()

    /// Indicates whether the process has had the turn.
    var hasEnded: Bool { state.withLock { $0.hasEnded } }

    /// The number of callers that have not left.
    var callers: Int { state.withLock { $0.callers } }

    /// Adds a caller. Returns false if all have left, so that the wait has no result.
    func join() -> Bool {
        state.withLock { state in
            if state.callers == 0 { return false }
            state.callers += 1
            return true
        }
    }

    /// Ends the wait. No caller leaves afterwards.
    ///
    /// - Throws: `timedOut` if all callers have left, so that there is nothing to do.
    func end() throws(AuthError) {
        let impatient = state.withLock { state -> [Race<Void>]? in
            if state.callers == 0 { return nil }
            state.hasEnded = true
            defer { state.impatient = [] }
            return state.impatient
        }
        guard let impatient else { throw AuthError(.timedOut, "No caller waits for the refresh any longer.") }
        for race in impatient { race.finish(()) }
    }

    /// Suspends the caller until the wait ends. Leaves it if it does not end in time.
    ///
    /// - Returns: true if the caller has left.
    func leave(after patience: Duration) async -> Bool {
        let race = Race<Void>()
        let isOver = state.withLock { state in
            if !state.hasEnded { state.impatient.append(race) }
            return state.hasEnded
        }
        if isOver { return false }
        let timer = Timer(after: patience) { race.finish(()) }
        await race.result()
        timer.cancel()
        let (hasLeft, isLast) = state.withLock { state in
            if state.hasEnded { return (false, false) }
            state.callers -= 1
            return (true, state.callers == 0)
        }
        if isLast { cancellation.cancel() }
        return hasLeft
    }
}
