internal import Glibc

/// A value protected by a lock, with a method that waits for a condition until a deadline.
///
/// `Mutex` cannot be waited on, and GLib's own locks are opaque to the thread sanitizer.
@safe package final class Monitor<State>: @unchecked Sendable {
    // `lock` protects `state`; both C objects are thread-safe and never move.
    private let lock: UnsafeMutablePointer<pthread_mutex_t>
    private let changed: UnsafeMutablePointer<pthread_cond_t>
    private var state: State

    package init(_ state: State) {
        unsafe lock = .allocate(capacity: 1)
        unsafe changed = .allocate(capacity: 1)
        unsafe pthread_mutex_init(lock, nil)
        var attributes = pthread_condattr_t()
        unsafe pthread_condattr_init(&attributes)
        unsafe pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
        unsafe pthread_cond_init(changed, &attributes)
        unsafe pthread_condattr_destroy(&attributes)
        self.state = state
    }

    deinit {
        unsafe pthread_cond_destroy(changed)
        unsafe pthread_mutex_destroy(lock)
        unsafe changed.deallocate()
        unsafe lock.deallocate()
    }

    /// Reads or changes the state, and wakes waiting threads.
    package func update<Result>(_ body: (inout State) -> Result) -> Result {
        unsafe pthread_mutex_lock(lock)
        defer { unsafe pthread_mutex_unlock(lock) }
        let result = body(&state)
        unsafe pthread_cond_broadcast(changed)
        return result
    }

    /// Calls `body` now and after each update until it returns a result; returns nil at the deadline.
    package func wait<Result>(until deadline: Deadline, _ body: (inout State) -> Result?) -> Result? {
        guard let cancellation = deadline.cancellation else { return waitUninterrupted(until: deadline, body) }
        return cancellation.observed(by: { [weak self] in self?.update { _ in } }) {
            waitUninterrupted(until: deadline, body)
        }
    }

    private func waitUninterrupted<Result>(until deadline: Deadline, _ body: (inout State) -> Result?) -> Result? {
        unsafe pthread_mutex_lock(lock)
        defer { unsafe pthread_mutex_unlock(lock) }
        var end = Self.moment(after: deadline.remaining)
        while true {
            if let result = body(&state) {
                unsafe pthread_cond_broadcast(changed)
                return result
            }
            if deadline.isCancelled { return nil }
            if unsafe pthread_cond_timedwait(changed, lock, &end) != 0 {
                return body(&state)
            }
        }
    }

    private static func moment(after duration: Duration) -> timespec {
        var now = timespec()
        unsafe clock_gettime(CLOCK_MONOTONIC, &now)
        let microseconds = Int(duration.wholeMicroseconds)
        let nanoseconds = now.tv_nsec + microseconds % 1_000_000 * 1000
        return timespec(
            tv_sec: now.tv_sec + microseconds / 1_000_000 + nanoseconds / 1_000_000_000,
            tv_nsec: nanoseconds % 1_000_000_000
        )
    }
}
