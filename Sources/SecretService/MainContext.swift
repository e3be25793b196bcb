internal import CLibsecret
internal import GLibSupport
internal import Glibc

/// A GLib main context, which some thread iterates: in a GTK program, the main thread.
@safe public struct MainContext: @unchecked Sendable {
    // A GMainContext may be used from any thread; the creator of this value keeps the context alive.
    private let context: OpaquePointer?

    /// The default context, which `g_main_loop_run` and GTK's main loops iterate.
    public static let `default` = unsafe MainContext(context: nil)

    /// Whether the caller is on the process's main thread, which is the main actor's until `dispatchMain()` ends it.
    package static var isMainThread: Bool { gettid() == getpid() }

    private init(context: OpaquePointer?) {
        unsafe self.context = context
    }

    /// Another context: the `GMainContext *` that a GLib binding has. It must outlive this value.
    @unsafe public init(_ pointer: UnsafeMutableRawPointer) {
        unsafe self.init(context: OpaquePointer(pointer))
    }

    /// Runs `work` on the context's thread at its next iteration, after what was passed before; returns at once.
    public func invoke(_ work: @escaping @Sendable () -> Void) {
        let source = unsafe g_idle_source_new()
        unsafe g_source_set_priority(source, G_PRIORITY_DEFAULT)
        unsafe g_source_set_callback(source, runJob, retainedBox(JobBox(work)), releaseBox)
        unsafe g_source_attach(source, context)
        unsafe g_source_unref(source)
    }
}
