internal import CLibsecret

/// A value behind a lock, with a way to wait for it to become something until a deadline.
@safe final class Monitor<State>: @unchecked Sendable {
    // `lock` protects `state`; both C objects are made to be shared by threads and never move.
    private let lock: UnsafeMutablePointer<GMutex>
    private let changed: UnsafeMutablePointer<GCond>
    private var state: State

    init(_ state: State) {
        unsafe lock = .allocate(capacity: 1)
        unsafe changed = .allocate(capacity: 1)
        unsafe g_mutex_init(lock)
        unsafe g_cond_init(changed)
        self.state = state
    }

    deinit {
        unsafe g_cond_clear(changed)
        unsafe g_mutex_clear(lock)
        unsafe changed.deallocate()
        unsafe lock.deallocate()
    }

    /// Changes the state, or looks at it, and wakes those who wait.
    func update<Result>(_ body: (inout State) -> Result) -> Result {
        unsafe g_mutex_lock(lock)
        defer { unsafe g_mutex_unlock(lock) }
        let result = body(&state)
        unsafe g_cond_broadcast(changed)
        return result
    }

    /// Runs `body` now and after each update until it gives a result; nil at the deadline.
    func wait<Result>(until deadline: Deadline, _ body: (inout State) -> Result?) -> Result? {
        unsafe g_mutex_lock(lock)
        defer { unsafe g_mutex_unlock(lock) }
        let end = Int64(g_get_monotonic_time()) + deadline.remaining.wholeMicroseconds
        while true {
            if let result = body(&state) {
                unsafe g_cond_broadcast(changed)
                return result
            }
            if unsafe g_cond_wait_until(changed, lock, gint64(end)) == 0 {
                return body(&state)
            }
        }
    }
}
