public import Dispatch

// Re-exported, so that a program with GLib's main loop only imports SharedAuth.
@_exported public import struct DesktopSupport.MainContext

/// The executor on which an app's listeners and completion handlers are called, one at a time and in order.
///
/// A closure that belongs to an actor is called on that actor with every executor, and then does not wait for other
/// listeners; see `Auth.addStateDidChangeListener(_:)`.
public struct ListenerExecutor: Sendable {
    /// The loops that can call listeners; the first loop that runs calls them.
    let loops: [EventLoop]

    /// The main queue or GLib's default main context, the first one to run. This is the default.
    ///
    /// It is suitable for programs that call `dispatchMain()`, have an async `main`, or run the main loop of GTK, Qt or
    /// GLib. Each call is made once and in order, even if both loops run; the thread is unspecified. In a program that
    /// runs neither loop, nothing is called. Until one of them has run, only the latest 100 calls of each listener are
    /// kept.
    ///
    /// After `MainContext.default.serveMainQueue()`, both are the same loop.
    public static let automatic = ListenerExecutor(loops: [.mainQueue, .context(.default)])

    /// The main queue, as in Firebase. The program must run it, with `dispatchMain()`, Foundation's main run loop, or
    /// an async `main`.
    public static let mainQueue = ListenerExecutor(loops: [.mainQueue])

    /// A dispatch queue.
    public static func dispatchQueue(_ queue: DispatchQueue) -> ListenerExecutor {
        ListenerExecutor(loops: [.queue(queue)])
    }

    /// A GLib main context, for GTK and other GLib programs.
    public static func mainContext(_ context: MainContext = .default) -> ListenerExecutor {
        ListenerExecutor(loops: [.context(context)])
    }

    /// Any serial executor, including one that runs its jobs immediately, on the thread that enqueues them.
    public static func serialExecutor(_ executor: any SerialExecutor) -> ListenerExecutor {
        ListenerExecutor(loops: [.executor(executor)])
    }
}

/// A loop that runs work on threads where an app's listeners may be called, once it is woken.
struct EventLoop: Sendable {
    /// Schedules a call of a function on the loop, and returns immediately, before the call.
    ///
    /// The function's parameter is true if it is called where the main actor's state may be used.
    let wake: @Sendable (_ visit: @escaping @Sendable (_ onMainActor: Bool) -> Void) -> Void
    /// Indicates whether a program may never run this loop.
    let mayNeverRun: Bool

    /// The main queue, which is the main actor's executor on any thread that runs it after `dispatchMain()`.
    static let mainQueue = EventLoop(
        wake: { visit in DispatchQueue.main.async { visit(true) } },
        mayNeverRun: true
    )

    /// One of the app's dispatch queues.
    static func queue(_ queue: DispatchQueue) -> EventLoop {
        EventLoop(wake: { visit in queue.async { visit(MainContext.isMainThread) } }, mayNeverRun: false)
    }

    /// A GLib main context.
    static func context(_ context: MainContext) -> EventLoop {
        EventLoop(wake: { visit in context.invoke { visit(MainContext.isMainThread) } }, mayNeverRun: true)
    }

    /// One of the app's serial executors.
    ///
    /// It may run anything else on its threads, so they never count as the main actor's. The hop from a detached task
    /// prevents an executor that runs its jobs immediately from running them while the caller holds locks.
    static func executor(_ executor: any SerialExecutor) -> EventLoop {
        EventLoop(
            wake: { visit in Task.detached { await Isolated(executor).run { visit(false) } } },
            mayNeverRun: false
        )
    }
}

/// Runs work on a serial executor.
private actor Isolated {
    private let executor: any SerialExecutor

    init(_ executor: any SerialExecutor) {
        self.executor = executor
    }

    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.asUnownedSerialExecutor() }

    func run(_ work: @Sendable () -> Void) { work() }
}
