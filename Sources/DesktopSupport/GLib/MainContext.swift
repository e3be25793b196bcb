internal import CLibsecret
internal import Dispatch
internal import Glibc
internal import Synchronization

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

    /// Has the thread that iterates this context run the main queue too, and so the main actor, which nothing else does
    /// in a program with a main loop of GTK, Qt or GLib.
    ///
    /// Call it once, first thing in a synchronous `main`, on the main thread, for the context that the main thread then
    /// iterates: `MainContext.default.serveMainQueue()`. From then on `DispatchQueue.main`, `Task { @MainActor in … }`,
    /// and `for await` on the main actor work inside the main loop. While nothing is to be run, it costs nothing.
    /// Calling it again does nothing.
    ///
    /// An `async` `main` gives the main thread away at its first `await`, and `dispatchMain()` does at once. Calling
    /// this on another thread than the main one, or having another thread iterate the context, ends the program with a
    /// message.
    public func serveMainQueue() {
        precondition(
            Self.isMainThread,
            "serveMainQueue() has to be called on the main thread. Call it first in a main() that is not async."
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

/// A `GUnixFDSourceFunc` for the eventfd by which libdispatch says that the main queue has work.
private func drainMainQueue(_ handle: gint, _ condition: GIOCondition, _ data: gpointer?) -> gboolean {
    precondition(
        MainContext.isMainThread,
        "A thread other than the main one iterates the GLib context that serves the main queue. Run it on the main thread."
    )
    // It stays readable, and the context spins, until it is read. Nobody else reads it, so there is something to read.
    var wakeUps: UInt64 = 0
    _ = unsafe read(handle, &wakeUps, MemoryLayout<UInt64>.size)
    _dispatch_main_queue_callback_4CF(nil)
    return 1
}
