internal import GLibSupport
internal import Synchronization

/// The Secret Service of a desktop session: the keyring behind the bus name `org.freedesktop.secrets`.
///
/// It keeps one connection of its own to the message bus, made when first needed. If the bus closes it, the call under way
/// fails and a later one connects again; a provider that was restarted is found again without any error.
///
/// All calls block until their deadline at most, and may be made from any thread but the one on which a watch's handler runs.
/// Each throws ``SecretServiceError``. None of them asks the person to unlock anything, except ``unlock(_:by:)``.
public final class SecretService: Sendable {
    /// What the service was made with.
    public let configuration: Configuration

    private let gate: CallGate
    private let link = Recreatable<BusConnection>()

    /// Makes the service; does nothing else.
    public init(_ configuration: Configuration = Configuration()) {
        self.configuration = configuration
        gate = CallGate(configuration.interceptor, counting: configuration.waits)
    }

    /// The connection there is, if the bus has not closed it; none is made.
    var presentConnection: BusConnection? {
        link.present.flatMap { connection in connection.isClosed ? nil : connection }
    }

    /// The unique name of the program that gave the last good answer on the connection there is.
    var lastSender: String? {
        presentConnection?.answering.withLock(\.sender)
    }

    /// The deadline of a call that was given `deadline`.
    func deadline(_ deadline: Deadline?) -> Deadline {
        deadline ?? .after(configuration.timeout)
    }

    /// The connection, made anew if there is none or the bus closed it.
    ///
    /// Whatever waits for the bus begins here, and is refused on the thread that it would wait for.
    func connection(by deadline: Deadline) throws(SecretServiceError) -> BusConnection {
        guard !GLibThread.isCurrent else { throw .calledFromHandler }
        return try link.value(by: deadline, ifGood: { connection in !connection.isClosed }) {
            () throws(SecretServiceError) -> BusConnection in
            try BusConnection.open(
                configuration.busAddress.resolved(),
                gate: gate,
                sandbox: configuration.sandbox,
                by: deadline
            )
        }
    }
}
