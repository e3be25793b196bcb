internal import CGLibSecret
internal import Dispatch
internal import Glibc
internal import Synchronization

/// A GLib main context, iterated by some thread: in a GTK program, the main thread.
@safe public struct MainContext: @unchecked Sendable {
    // A GMainContext is thread-safe; the creator of this value keeps the context alive.
    private let context: OpaquePointer?

    /// The default context, iterated by `g_main_loop_run` and GTK's main loops.
    public static let `default` = unsafe MainContext(context: nil)

    /// Indicates whether the caller is on the process's main thread, which belongs to the main actor until
    /// `dispatchMain()` ends it.
    package static var isMainThread: Bool { gettid() == getpid() }

    private init(context: OpaquePointer?) {
        unsafe self.context = context
    }

    /// Creates a value for the `GMainContext *` of a GLib binding, which must outlive this value.
    @unsafe public init(_ pointer: UnsafeMutableRawPointer) {
        unsafe self.init(context: OpaquePointer(pointer))
    }

    /// Runs `work` on the context's thread at its next iteration, after work passed earlier. Returns immediately.
    public func invoke(_ work: @escaping @Sendable () -> Void) {
        let source = unsafe g_idle_source_new()
        unsafe g_source_set_priority(source, G_PRIORITY_DEFAULT)
        unsafe g_source_set_callback(source, runJob, retainedBox(JobBox(work)), releaseBox)
        unsafe g_source_attach(source, context)
        unsafe g_source_unref(source)
    }

    /// Runs the main queue, and so the main actor, on the thread that iterates this context. Nothing else does so in a
    /// program with a main loop of GTK, Qt or GLib.
    ///
    /// Call it once, at the beginning of a synchronous `main`, on the main thread, for the context that the main thread
    /// then iterates: `MainContext.default.serveMainQueue()`. From then on `DispatchQueue.main`,
    /// `Task { @MainActor in … }`, and `for await` on the main actor work inside the main loop. It costs nothing while
    /// the main queue is empty. Further calls do nothing.
    ///
    /// An `async` `main` leaves the main thread at its first `await`, and `dispatchMain()` leaves it immediately. The
    /// program ends with a message if you call this method on a thread other than the main thread, or if another thread
    /// iterates the context.
    public func serveMainQueue() {
        precondition(
            Self.isMainThread,
            "serveMainQueue() must be called on the main thread. Call it first in a main() that is not async."
        )
        guard !Self.isMainQueueServed.exchange(true, ordering: .relaxed) else { return }
        let source = unsafe g_unix_fd_source_new(_dispatch_get_main_queue_handle_4CF(), G_IO_IN)
        let drain: @convention(c) (gint, GIOCondition, gpointer?) -> gboolean = unsafe drainMainQueue
        unsafe g_source_set_callback(source, unsafeBitCast(drain, to: GSourceFunc.self), nil, nil)
        unsafe g_source_attach(source, context)
        unsafe g_source_unref(source)
    }

    private static let isMainQueueServed = Atomic(false)
}

/// A `GUnixFDSourceFunc` for the eventfd with which libdispatch reports work on the main queue.
private func drainMainQueue(_ handle: gint, _ condition: GIOCondition, _ data: gpointer?) -> gboolean {
    precondition(
        MainContext.isMainThread,
        "A thread other than the main thread iterates the context of the main queue. Run it on the main thread."
    )
    // The eventfd remains readable, and the context spins, until it is read. Nothing else reads it, so the read does
    // not block.
    var wakeUps: UInt64 = 0
    _ = unsafe read(handle, &wakeUps, MemoryLayout<UInt64>.size)
    _dispatch_main_queue_callback_4CF(nil)
    return 1
}
