internal import CGLibSecret

/// A GLib context in which a thread waits for the replies to its own requests, without another thread.
@safe package final class AnswerContext: @unchecked Sendable {
    // A GMainContext is thread-safe; one thread at a time iterates this one.
    private let context: OpaquePointer

    package init() {
        unsafe context = g_main_context_new()
    }

    deinit {
        unsafe g_main_context_unref(context)
    }

    /// Runs `body`, which starts operations. GLib reports their completion to this context.
    package func collect<Result>(_ body: () -> Result) -> Result {
        unsafe g_main_context_push_thread_default(context)
        defer { unsafe g_main_context_pop_thread_default(context) }
        return body()
    }

    /// Handles GLib's events until `isDone` returns true; returns false at the deadline. Events reported before the
    /// deadline are still handled after it.
    package func serve(until deadline: Deadline, _ isDone: () -> Bool) -> Bool {
        guard !isDone() else { return true }
        let alarm = unsafe g_timeout_source_new(0)
        // It only ends an iteration that waits.
        unsafe g_source_set_callback(alarm, { _ in 1 }, nil, nil)
        unsafe g_source_attach(alarm, context)
        defer {
            unsafe g_source_destroy(alarm)
            unsafe g_source_unref(alarm)
        }
        func iterate() -> Bool {
            while !isDone() {
                if deadline.isPast {
                    // Events reported just before the deadline count. The alarm would fire in every iteration.
                    unsafe g_source_set_ready_time(alarm, -1)
                    while unsafe !isDone() && g_main_context_iteration(context, 0) != 0 {}
                    return isDone()
                }
                unsafe g_source_set_ready_time(
                    alarm,
                    g_get_monotonic_time() + Int(deadline.remaining.wholeMicroseconds)
                )
                unsafe g_main_context_iteration(context, 1)
            }
            return true
        }
        guard let cancellation = deadline.cancellation else { return iterate() }
        return cancellation.observed(by: { [self] in unsafe g_main_context_wakeup(context) }, iterate)
    }

    /// Handles GLib's events until `isDone` returns true, without a limit.
    package func serve(until isDone: () -> Bool) {
        while !isDone() {
            unsafe g_main_context_iteration(context, 1)
        }
    }
}
