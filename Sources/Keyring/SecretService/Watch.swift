internal import DesktopSupport
internal import Synchronization

/// A subscription to changes. It ends when it is cancelled or its last reference is released.
public final class Watch: Sendable {
    fileprivate let relay: ChangeRelay
    private let subscription: Subscription

    init(_ relay: ChangeRelay, _ subscription: Subscription) {
        self.relay = relay
        self.subscription = subscription
    }

    deinit {
        cancel()
    }

    /// Ends the watch. The handler is not called again, but a call in progress finishes.
    public func cancel() {
        relay.stop()
        subscription.end()
    }
}

/// Converts the events of a connection to changes, until it is stopped or the connection closes.
final class ChangeRelay: Sendable {
    private let handler: @Sendable (SecretServiceChange) -> Void
    private let isStopped = Atomic<Bool>(false)
    private let refusal = Mutex<String?>(nil)

    init(_ handler: @escaping @Sendable (SecretServiceChange) -> Void) {
        self.handler = handler
    }

    func stop() {
        isStopped.store(true, ordering: .releasing)
    }

    /// The name of the bus's error, if it refuses to report the changes.
    var refusalName: String? { refusal.withLock { $0 } }

    /// Ends, because the bus refuses to report changes.
    func refuse(_ name: String) {
        refusal.withLock { $0 = $0 ?? name }
        receive(.closed)
    }

    func receive(_ event: BusEvent) {
        switch event {
        case .closed:
            guard !isStopped.exchange(true, ordering: .acquiringAndReleasing) else { return }
            handler(.busClosed)
        case .signal(let signal):
            for change in signal.changes where !isStopped.load(ordering: .acquiring) {
                handler(change)
            }
        }
    }
}

extension SecretService {
    /// Calls `handler` for every change from now on, until the returned watch is cancelled or released.
    ///
    /// - The handler runs on a thread of the library, one call at a time and in the order of the changes. It must
    ///   return quickly. Blocking calls of this library fail there with `.invalidArgument`.
    /// - Changes that are made through this service object are reported, too.
    /// - The watch survives restarts of the daemon. If the bus closes the connection, the handler receives `.busClosed`
    ///   once, and the watch ends. If that happens during this call, it throws, and the handler may have received it by
    ///   then. The same applies to a bus that refuses to report changes.
    /// - No daemon needs to be running, and none is started.
    public func watch(
        _ handler: @escaping @Sendable (SecretServiceChange) -> Void,
        by deadline: Deadline? = nil
    ) throws(SecretServiceError) -> Watch {
        let deadline = self.deadline(by: deadline)
        let name = try Wire.busName(configuration.busName)
        let connection = try connection(by: deadline)
        let watch = try watch(handler, on: connection, by: deadline)
        // The bus processes the messages of a connection in order: when this reply arrives, the subscription is active.
        _ = try connection.call(.bus("NameHasOwner", .tuple(.string(name)), answer: "(b)"), by: deadline)
        GLibThread.catchUp(by: deadline)
        if let refusal = watch.relay.refusalName { throw .refusedRules(refusal) }
        return watch
    }

    /// Watches as ``watch(_:by:)`` does, without waiting for the subscription. Changes that follow the next reply to a
    /// call of this service are reported.
    package func watchFromNextCall(
        _ handler: @escaping @Sendable (SecretServiceChange) -> Void,
        by deadline: Deadline
    ) throws(SecretServiceError) -> Watch {
        try watch(handler, on: try connection(by: deadline), by: deadline)
    }

    private func watch(
        _ handler: @escaping @Sendable (SecretServiceChange) -> Void,
        on connection: ServiceConnection,
        by deadline: Deadline
    ) throws(SecretServiceError) -> Watch {
        let name = try Wire.busName(configuration.busName)
        let relay = ChangeRelay(handler)
        let subscription = try connection.subscribe(
            to: Self.rules(for: name),
            by: deadline,
            refused: relay.refuse,
            relay.receive
        )
        return Watch(relay, subscription)
    }

    /// The changes from now on, as a sequence that ends after `.busClosed`.
    ///
    /// Reading the property subscribes, which blocks as ``watch(_:by:)`` does. The subscription ends with the
    /// iteration.
    public var changes: AsyncStream<SecretServiceChange> {
        get throws(SecretServiceError) {
            let (stream, continuation) = AsyncStream.makeStream(of: SecretServiceChange.self)
            let watch = try watch { change in
                continuation.yield(change)
                if change == .busClosed {
                    continuation.finish()
                }
            }
            continuation.onTermination = { _ in watch.cancel() }
            return stream
        }
    }

    private static func rules(for name: String) -> [SignalRule] {
        [
            SignalRule(sender: name, interface: "org.freedesktop.Secret.Collection"),
            SignalRule(sender: name, interface: "org.freedesktop.Secret.Service"),
            SignalRule(
                sender: name,
                interface: "org.freedesktop.DBus.Properties",
                member: "PropertiesChanged",
                firstArgument: "org.freedesktop.Secret.Collection"
            ),
            .owner(of: name),
        ]
    }
}
