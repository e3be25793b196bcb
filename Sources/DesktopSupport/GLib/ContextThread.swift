internal import CLibsecret

/// A thread that serves a GLib context of its own, until the process ends.
///
/// What waits here holds up nothing of the keyring's, which has ``GLibThread``.
@safe package final class ContextThread: @unchecked Sendable {
    // A GMainContext is made to be shared by threads; this reference is never given up.
    private let context: OpaquePointer

    /// Starts the thread; the name is cut at 15 bytes by the system.
    package init(named name: String) {
        unsafe context = g_main_context_new()
        unsafe g_thread_unref(g_thread_new(name, serveContext, UnsafeMutableRawPointer(context)))
    }

    /// Whether the caller runs on this thread.
    package var isCurrent: Bool { unsafe g_main_context_is_owner(context) != 0 }

    /// Runs `body` on the thread, after what was enqueued before.
    package func enqueue(_ body: @escaping @Sendable () -> Void) {
        _ = unsafe start(g_idle_source_new(), body, endsWithTimer: false)
    }

    /// Runs `body` on the thread after some time, unless the timer is stopped before.
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

/// Work that a ``ContextThread`` does later; work with a delay is left undone when this is stopped or its last
/// reference goes.
@safe package final class ContextTimer: @unchecked Sendable {
    // GLib protects an attached GSource by the lock of its context, so that any thread may destroy it; the reference to
    // it never changes.
    private let source: UnsafeMutablePointer<GSource>?
    private let endsWithTimer: Bool

    fileprivate init(taking source: UnsafeMutablePointer<GSource>?, endsWithTimer: Bool) {
        unsafe self.source = source
        self.endsWithTimer = endsWithTimer
    }

    /// Stops it, unless the work is being done or was.
    package func stop() { unsafe g_source_destroy(source) }

    deinit {
        if endsWithTimer { stop() }
        unsafe g_source_unref(source)
    }
}
