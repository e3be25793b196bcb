/// A subscription to changes, which ends when it is cancelled or nobody holds it any more.
public final class Watch: Sendable {
    private let relay: ChangeRelay
    private let subscription: Subscription

    init(_ relay: ChangeRelay, _ subscription: Subscription) {
        self.relay = relay
        self.subscription = subscription
    }

    deinit {
        cancel()
    }

    /// Ends the watch; the handler is not called again, but a call that has begun still finishes.
    public func cancel() {
        relay.stop()
        subscription.end()
    }
}
