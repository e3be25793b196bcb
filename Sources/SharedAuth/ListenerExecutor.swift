public import Dispatch
public import SecretService

/// Where an app's listeners and completion handlers are called, one at a time and in order.
public struct ListenerExecutor: Sendable {
    private enum Kind: Sendable {
        case queue(DispatchQueue)
        case context(MainContext)
        case executor(any SerialExecutor)
    }

    private let kind: Kind

    /// The main queue, as Firebase does. It must be drained: by `dispatchMain()`, Foundation's main run loop, or an
    /// async `main`.
    public static let mainQueue = ListenerExecutor(kind: .queue(.main))

    /// A dispatch queue.
    public static func dispatchQueue(_ queue: DispatchQueue) -> ListenerExecutor {
        ListenerExecutor(kind: .queue(queue))
    }

    /// A GLib main context, for GTK and other GLib programs, where nothing drains the main queue.
    public static func mainContext(_ context: MainContext = .default) -> ListenerExecutor {
        ListenerExecutor(kind: .context(context))
    }

    /// Any serial executor.
    public static func serialExecutor(_ executor: any SerialExecutor) -> ListenerExecutor {
        ListenerExecutor(kind: .executor(executor))
    }

    func run(_ work: @escaping @Sendable () -> Void) {
        switch kind {
        case .queue(let queue): queue.async(execute: work)
        case .context(let context): context.invoke(work)
        case .executor(let executor): Task { await Isolated(executor).run(work) }
        }
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
