internal import CGLibSecret
internal import Synchronization

/// The thread on which GLib calls back, one for the whole process.
///
/// It starts with the first subscription. Until then, replies are awaited in an ``AnswerContext`` of the calling
/// thread. It does not need the app's main loop, and does not keep the process from exiting.
package final class GLibThread: Sendable {
    /// The context that the thread runs once it is started.
    private static let context = Context()
    /// Indicates whether the thread runs. Before that, the holder of this lock may iterate the context.
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

    /// Indicates whether the caller runs on this thread. Does not start it.
    package static var isCurrent: Bool {
        unsafe g_main_context_is_owner(context.pointer) != 0
    }

    /// Returns after the thread, if it runs, has handled all events that arrived before this call.
    package static func catchUp(by deadline: Deadline) {
        guard isStarted.withLock({ $0 }) else { return }
        _ = shared.run(by: deadline) {}
    }

    /// Runs `body` with the GLib thread's context as the thread default, and waits for its result. Returns nil at the
    /// deadline.
    ///
    /// `body` runs on the GLib thread if that was started, otherwise on the calling thread. It must not block.
    package static func perform<Result: Sendable>(
        by deadline: Deadline,
        _ body: @escaping @Sendable () -> Result
    ) -> Result? {
        standingIn(body) ?? shared.run(by: deadline, body)
    }

    /// Like ``perform(by:_:)``, but does not wait for the thread.
    package static func perform(_ body: @escaping @Sendable () -> Void) {
        if standingIn(body) == nil { shared.enqueue(body) }
    }

    /// Runs `body` on the calling thread instead of the GLib thread. If the GLib thread was started, returns nil and
    /// does not run `body`.
    private static func standingIn<Result: Sendable>(_ body: @Sendable () -> Result) -> Result? {
        isStarted.withLock { isStarted in
            guard !isStarted else { return nil }
            return context.standingIn(body)
        }
    }

    /// Runs `body` on the thread, after work that was enqueued earlier.
    package func enqueue(_ body: @escaping @Sendable () -> Void) {
        let source = unsafe g_idle_source_new()
        unsafe g_source_set_priority(source, G_PRIORITY_DEFAULT)
        unsafe attach(source, body)
        unsafe g_source_unref(source)
    }

    /// Runs `body` on the thread and waits for its result. Returns nil at the deadline; the result is then discarded on
    /// the thread.
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
        // A GMainContext is thread-safe; this reference is never released.
        let pointer: OpaquePointer

        init() {
            unsafe pointer = g_main_context_new()
        }

        /// Runs `body` with this as the calling thread's default context, and handles the events reported to it.
        func standingIn<Result>(_ body: () -> Result) -> Result {
            unsafe g_main_context_push_thread_default(pointer)
            defer { unsafe g_main_context_pop_thread_default(pointer) }
            let result = body()
            while unsafe g_main_context_iteration(pointer, 0) != 0 {}
            return result
        }
    }
}

/// The main function of the GLib thread: runs its context until the process ends.
func serveContext(_ context: gpointer?) -> gpointer? {
    let context = OpaquePointer(context)
    unsafe g_main_context_push_thread_default(context)
    unsafe g_main_loop_run(g_main_loop_new(context, 0))
    return nil
}

/// Runs `body`, which may block, on a new thread that ends with it. The system truncates the name to 15 bytes.
package func startThread(named name: String, _ body: @escaping @Sendable () -> Void) {
    unsafe g_thread_unref(g_thread_new(name, runJobOnce, retainedBox(JobBox(body))))
}

/// Runs `body` as ``startThread(named:_:)`` does, or on the calling thread if the system starts no more threads.
func startThreadIfPossible(named name: String, _ body: @escaping @Sendable () -> Void) {
    let box = unsafe retainedBox(JobBox(body))
    if let thread = unsafe g_thread_try_new(name, runJobOnce, box, nil) {
        unsafe g_thread_unref(thread)
    } else {
        _ = unsafe runJobOnce(box)
    }
}

/// The main function of a thread that runs and releases a `JobBox`.
private func runJobOnce(_ data: gpointer?) -> gpointer? {
    if let data = unsafe data {
        unsafe Unmanaged<JobBox>.fromOpaque(data).takeRetainedValue().run()
    }
    return nil
}
