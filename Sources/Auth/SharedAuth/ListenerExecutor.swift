public import Dispatch

// A program with GLib's main loop imports SharedAuth alone.
@_exported public import struct DesktopSupport.MainContext

/// Where an app's listeners and completion handlers are called, one at a time and in order.
///
/// A listener whose closure belongs to an actor is called there with every executor, and does not wait for other
/// listeners then; see `Auth.addStateDidChangeListener(_:)`.
public struct ListenerExecutor: Sendable {
    /// The loops that call listeners; whichever runs first does.
    let loops: [EventLoop]

    /// Whichever of the main queue and GLib's default main context runs first: the default.
    ///
    /// It serves programs that call `dispatchMain()`, have an async `main`, or run the main loop of GTK, Qt or GLib. Each
    /// call is made once and in order, even where both run; no thread is promised. In a program that runs neither,
    /// nothing is called; what waits for a loop that never ran is bounded: of each listener's calls the latest 100 are
    /// kept.
    ///
    /// Where `MainContext.default.serveMainQueue()` was called, both are the same loop.
    public static let automatic = ListenerExecutor(loops: [.mainQueue, .context(.default)])

    /// The main queue, as in Firebase. It must be drained: by `dispatchMain()`, Foundation's main run loop, or an
    /// async `main`.
    public static let mainQueue = ListenerExecutor(loops: [.mainQueue])

    /// A dispatch queue.
    public static func dispatchQueue(_ queue: DispatchQueue) -> ListenerExecutor {
        ListenerExecutor(loops: [.queue(queue)])
    }

    /// A GLib main context, for GTK and other GLib programs.
    public static func mainContext(_ context: MainContext = .default) -> ListenerExecutor {
        ListenerExecutor(loops: [.context(context)])
    }

    /// Any serial executor, also one that runs its jobs at once, on the thread that enqueues them.
    public static func serialExecutor(_ executor: any SerialExecutor) -> ListenerExecutor {
        ListenerExecutor(loops: [.executor(executor)])
    }
}

/// Something that runs work on threads that an app's listeners may be called on, once it is woken.
struct EventLoop: Sendable {
    /// Has the loop call a function soon; returns at once, without calling it.
    ///
    /// The function gets whether the main actor's state may be used where it is called.
    let wake: @Sendable (_ visit: @escaping @Sendable (_ onMainActor: Bool) -> Void) -> Void
    /// Whether a program may do without ever running it.
    let mayNeverRun: Bool

    /// The main queue, which is the main actor's, on whichever thread it runs once `dispatchMain()` was called.
    static let mainQueue = EventLoop(
        wake: { visit in DispatchQueue.main.async { visit(true) } },
        mayNeverRun: true
    )

    /// A dispatch queue of the app's own.
    static func queue(_ queue: DispatchQueue) -> EventLoop {
        EventLoop(wake: { visit in queue.async { visit(MainContext.isMainThread) } }, mayNeverRun: false)
    }

    /// A GLib main context.
    static func context(_ context: MainContext) -> EventLoop {
        EventLoop(wake: { visit in context.invoke { visit(MainContext.isMainThread) } }, mayNeverRun: true)
    }

    /// A serial executor of the app's own.
    ///
    /// Nothing is known of what else it runs on its threads, so they never count as the main actor's. The hop from a
    /// detached task keeps an executor that runs its jobs at once from running them under the caller's locks.
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
