internal import Synchronization

/// Lets the callers of one process share one refresh of one account.
final class RefreshCoalescer: Sendable {
    struct Key: Hashable {
        let slot: Slot?
        let uid: String
        /// Tells users apart that are in no slot.
        let object: ObjectIdentifier?
    }

    private typealias Refresh = Task<Result<UserTokens, AuthError>, Never>

    private let running = Mutex<[Key: Refresh]>([:])

    /// Joins the refresh that is running, or starts `refresh`. A caller that is cancelled cancels nobody else.
    func tokens(
        for key: Key,
        _ refresh: @escaping @Sendable () async throws(AuthError) -> UserTokens
    ) async throws(AuthError) -> UserTokens {
        let task = running.withLock { running in
            if let task = running[key] { return task }
            let task = Refresh { [self] in
                let result: Result<UserTokens, AuthError>
                do throws(AuthError) {
                    result = .success(try await refresh())
                } catch {
                    result = .failure(error)
                }
                // The entry is this task's own: none is replaced while its task runs.
                self.running.withLock { $0[key] = nil }
                return result
            }
            running[key] = task
            return task
        }
        return try await task.value.get()
    }
}
