public import DesktopSupport

// Apps get from here what this module's public API takes and returns. The rest of DesktopSupport is plumbing, which no app
// sees.
@_exported public import enum DesktopSupport.BusAddress
@_exported public import class DesktopSupport.Cancellation
@_exported public import struct DesktopSupport.Deadline
@_exported public import enum DesktopSupport.Sandbox

/// The Secret Service of a desktop session: the keyring behind the bus name `org.freedesktop.secrets`.
///
/// It keeps one connection of its own to the message bus, made when first needed. If the bus closes it, the call under way
/// fails and a later one connects again; a daemon that was restarted is found again without any error.
///
/// All calls block until their deadline at most, and may be made from any thread but the one on which a watch's handler runs.
/// Each throws ``SecretServiceError``. None of them prompts the person to unlock anything, except ``unlock(_:by:)``.
public final class SecretService: Sendable {
    /// What the service was made with.
    public let configuration: Configuration

    let gate: CallGate
    /// The connection, once it was needed.
    let link = LazyResource<ServiceConnection>()

    /// Creates the service; the connection is made when first needed.
    public init(_ configuration: Configuration = Configuration()) {
        self.configuration = configuration
        gate = CallGate(
            configuration.interceptor,
            counting: configuration.waits,
            tracing: configuration.trace
        )
    }

    /// The deadline of a call that was given `deadline`.
    func deadline(by deadline: Deadline?) -> Deadline {
        deadline ?? .after(configuration.timeout)
    }
}

extension SecretService {
    /// Which Secret Service to use, and how long to wait for it.
    public struct Configuration: Sendable {
        /// The message bus.
        public var busAddress: BusAddress
        /// The bus name that the daemon owns.
        public var busName: String
        /// How long a call without a deadline of its own may take, connecting and activation included.
        public var timeout: Duration
        /// Whether a call waits until its deadline for a daemon, if none runs and the bus can start none.
        public var waitsForDaemon: Bool
        /// Whether a prompt can reach the person. By default, whether `DISPLAY` or `WAYLAND_DISPLAY` is set.
        public var hasDisplay = Self.namesDisplay
        /// The sandbox that error messages take into account when they name a remedy.
        public var sandbox: Sandbox? = .current
        /// Sees each method call before it leaves; for tests.
        package var interceptor: CallInterceptor?
        /// Counts how often the bus is waited for; for tests.
        package var waits: WaitCounter?
        /// Hears of each method call that was answered.
        package var trace: CallTrace?

        /// The login session's Secret Service with a deadline of 5 seconds, unless a parameter says otherwise.
        public init(
            busAddress: BusAddress = .session,
            busName: String = "org.freedesktop.secrets",
            timeout: Duration = .seconds(5),
            waitsForDaemon: Bool = false
        ) {
            self.busAddress = busAddress
            self.busName = busName
            self.timeout = timeout
            self.waitsForDaemon = waitsForDaemon
        }

        private static let namesDisplay = ["DISPLAY", "WAYLAND_DISPLAY"].contains { Environment[$0] != nil }
    }
}
