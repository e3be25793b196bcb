internal import CLibsecret
internal import Synchronization

/// The one thread on which GLib calls back, for the whole process.
///
/// It starts with the first subscription. Until then answers are awaited in an ``AnswerContext`` of the calling
/// thread. It needs no main loop of the app's, and does not keep the process from exiting.
package final class GLibThread: Sendable {
    /// The context that the thread serves once it runs.
    private static let context = Context()
    /// Whether the thread runs. Before that, the holder of this lock may serve the context.
    private static let isStarted = Mutex(false)

    /// The thread; the first access starts it.
    package static let shared = GLibThread()

    private init() {
        Self.isStarted.withLock { isStarted in
            unsafe g_thread_unref(
                g_thread_new("desktop-support", serveContext, UnsafeMutableRawPointer(Self.context.pointer))
            )
            isStarted = true
        }
    }

    /// Whether the caller runs on this thread; does not start it.
    package static var isCurrent: Bool {
        unsafe g_main_context_is_owner(context.pointer) != 0
    }

    /// Returns when the thread, if it runs, has handled what arrived before this call.
    package static func catchUp(by deadline: Deadline) {
        guard isStarted.withLock({ $0 }) else { return }
        _ = shared.run(by: deadline) {}
    }

    /// Runs `body` with this thread's context as its default, and waits for its result; nil at the deadline.
    ///
    /// It runs on this thread if that was started, else on the caller's in its place. `body` must not wait.
    package static func perform<Result: Sendable>(
        by deadline: Deadline,
        _ body: @escaping @Sendable () -> Result
    ) -> Result? {
        standingIn(body) ?? shared.run(by: deadline, body)
    }

    /// As ``perform(by:_:)``, but does not wait for the thread.
    package static func perform(_ body: @escaping @Sendable () -> Void) {
        if standingIn(body) == nil { shared.enqueue(body) }
    }

    /// Runs `body` on the calling thread in place of this one; nil if this one runs.
    private static func standingIn<Result: Sendable>(_ body: @Sendable () -> Result) -> Result? {
        isStarted.withLock { isStarted in
            guard !isStarted else { return nil }
            return context.standingIn(body)
        }
    }

    /// Runs `body` on the thread, after what was enqueued before.
    package func enqueue(_ body: @escaping @Sendable () -> Void) {
        let source = unsafe g_idle_source_new()
        unsafe g_source_set_priority(source, G_PRIORITY_DEFAULT)
        unsafe attach(source, body)
        unsafe g_source_unref(source)
    }

    /// Runs `body` on the thread and waits for its result; nil at the deadline, and the result is then dropped there.
    package func run<Result: Sendable>(by deadline: Deadline, _ body: @escaping @Sendable () -> Result) -> Result? {
        let result = Monitor<Result?>(nil)
        enqueue {
            let value = body()
            result.update { $0 = value }
        }
        return result.wait(until: deadline) { $0 }
    }

    private func attach(_ source: UnsafeMutablePointer<GSource>?, _ body: @escaping @Sendable () -> Void) {
        unsafe g_source_set_callback(source, runJob, retainedBox(JobBox(body)), releaseBox)
        unsafe g_source_attach(source, Self.context.pointer)
    }

    @safe private final class Context: @unchecked Sendable {
        // A GMainContext is made to be shared by threads; this reference is never given up.
        let pointer: OpaquePointer

        init() {
            unsafe pointer = g_main_context_new()
        }

        /// Runs `body` with this as the calling thread's context, and handles what has been reported to it.
        func standingIn<Result>(_ body: () -> Result) -> Result {
            unsafe g_main_context_push_thread_default(pointer)
            defer { unsafe g_main_context_pop_thread_default(pointer) }
            let result = body()
            while unsafe g_main_context_iteration(pointer, 0) != 0 {}
            return result
        }
    }
}

/// The GLib thread's life: it serves its context until the process ends.
func serveContext(_ context: gpointer?) -> gpointer? {
    let context = OpaquePointer(context)
    unsafe g_main_context_push_thread_default(context)
    unsafe g_main_loop_run(g_main_loop_new(context, 0))
    return nil
}

/// Runs `body`, which may wait, on a thread of its own that ends with it; the name is cut at 15 bytes by the system.
package func startThread(named name: String, _ body: @escaping @Sendable () -> Void) {
    unsafe g_thread_unref(g_thread_new(name, runJobOnce, retainedBox(JobBox(body))))
}

/// The life of a thread that runs a `JobBox`, and releases it.
private func runJobOnce(_ data: gpointer?) -> gpointer? {
    if let data = unsafe data {
        unsafe Unmanaged<JobBox>.fromOpaque(data).takeRetainedValue().run()
    }
    return nil
}
