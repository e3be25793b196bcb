internal import CLibsecret

/// The one thread on which GLib calls back, for the whole process.
///
/// No user's main loop is needed, and the process may exit without regard for it.
@safe final class GLibThread: @unchecked Sendable {
    // A GMainContext is made to be shared by threads; this reference is never given up.
    private let context: OpaquePointer

    static let shared = GLibThread()

    private init() {
        unsafe context = g_main_context_new()
        unsafe g_thread_unref(g_thread_new("secret-service", serveContext, UnsafeMutableRawPointer(context)))
    }

    /// Whether the caller runs on this thread.
    var isCurrent: Bool {
        unsafe g_main_context_is_owner(context) != 0
    }

    /// Runs `body` on the thread, after what was enqueued before.
    func enqueue(_ body: @escaping @Sendable () -> Void) {
        let source = unsafe g_idle_source_new()
        unsafe g_source_set_priority(source, G_PRIORITY_DEFAULT)
        unsafe attach(source, body)
        unsafe g_source_unref(source)
    }

    /// Runs `body` on the thread and waits for its result; nil at the deadline, and the result is then dropped there.
    func run<Result: Sendable>(by deadline: Deadline, _ body: @escaping @Sendable () -> Result) -> Result? {
        let result = Monitor<Result?>(nil)
        enqueue {
            let value = body()
            result.update { $0 = value }
        }
        return result.wait(until: deadline) { $0 }
    }

    /// Runs `body` on the thread when `duration` has passed, unless the timer is gone by then.
    func timer(after duration: Duration, _ body: @escaping @Sendable () -> Void) -> GLibTimer {
        let source = unsafe g_timeout_source_new(guint(duration.wholeMilliseconds))
        unsafe attach(source, body)
        return unsafe GLibTimer(taking: source)
    }

    private func attach(_ source: UnsafeMutablePointer<GSource>?, _ body: @escaping @Sendable () -> Void) {
        unsafe g_source_set_callback(source, runJob, retainedBox(JobBox(body)), releaseBox)
        unsafe g_source_attach(source, context)
    }
}
