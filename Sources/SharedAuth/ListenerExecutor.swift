public import Dispatch
public import SecretService

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
