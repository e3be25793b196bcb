internal import CDesktopSupport
internal import CLibsecret

/// A thread that runs a separate GLib context until the process ends.
///
/// HTTP requests and the servers of the stand-ins run on such threads. Blocking one does not delay the keyring's requests,
/// which use ``GLibThread``.
@safe package final class ContextThread: @unchecked Sendable {
    // A GMainContext is thread-safe; this reference is never released.
    private let context: OpaquePointer

    /// Starts the thread. The system truncates the name to 15 bytes.
    package init(named name: String) {
        // Such a thread may load libsoup.
        cdesktop_register_task()
        unsafe context = g_main_context_new()
        unsafe g_thread_unref(g_thread_new(name, serveContext, UnsafeMutableRawPointer(context)))
    }

    /// Indicates whether the caller runs on this thread.
    package var isCurrent: Bool { unsafe g_main_context_is_owner(context) != 0 }

    /// Runs `body` on the thread, after work that was enqueued earlier.
    package func enqueue(_ body: @escaping @Sendable () -> Void) {
        _ = unsafe start(g_idle_source_new(), body, endsWithTimer: false)
    }

    /// Runs `body` on the thread after a delay, unless the timer is stopped first.
    package func startTimer(after delay: Duration, _ body: @escaping @Sendable () -> Void) -> ContextTimer {
        unsafe start(g_timeout_source_new(guint(max(0, delay.wholeMilliseconds))), body, endsWithTimer: true)
    }

    private func start(
        _ source: UnsafeMutablePointer<GSource>?,
        _ body: @escaping @Sendable () -> Void,
        endsWithTimer: Bool
    ) -> ContextTimer {
        unsafe g_source_set_priority(source, G_PRIORITY_DEFAULT)
        unsafe g_source_set_callback(source, runJob, retainedBox(JobBox(body)), releaseBox)
        unsafe g_source_attach(source, context)
        return unsafe ContextTimer(taking: source, endsWithTimer: endsWithTimer)
    }
}

/// Pending work of a ``ContextThread``. Delayed work is dropped when this is stopped or deinitialized.
@safe package final class ContextTimer: @unchecked Sendable {
    // GLib protects an attached GSource with the lock of its context, so any thread may destroy it; the reference to it
    // never changes.
    private let source: UnsafeMutablePointer<GSource>?
    private let endsWithTimer: Bool

    fileprivate init(taking source: UnsafeMutablePointer<GSource>?, endsWithTimer: Bool) {
        unsafe self.source = source
        self.endsWithTimer = endsWithTimer
    }

    /// Stops the timer, unless its work is running or has run.
    package func stop() { unsafe g_source_destroy(source) }

    deinit {
        if endsWithTimer { stop() }
        unsafe g_source_unref(source)
    }
}
