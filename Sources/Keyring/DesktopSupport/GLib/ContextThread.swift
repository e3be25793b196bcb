internal import CDesktopSupport
internal import CGLibSecret

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
        let source = unsafe g_idle_source_new()
        unsafe g_source_set_priority(source, G_PRIORITY_DEFAULT)
        unsafe g_source_set_callback(source, runJob, retainedBox(JobBox(body)), releaseBox)
        unsafe g_source_attach(source, context)
        unsafe g_source_unref(source)
    }
}
