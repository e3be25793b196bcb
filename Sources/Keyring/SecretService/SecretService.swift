public import DesktopSupport

// Reexports the types that this module's public API takes and returns. The rest of DesktopSupport stays internal.
@_exported public import enum DesktopSupport.BusAddress
@_exported public import class DesktopSupport.Cancellation
@_exported public import struct DesktopSupport.Deadline
@_exported public import protocol DesktopSupport.Redacted
@_exported public import enum DesktopSupport.Sandbox

/// The Secret Service of a desktop session: the keyring behind the bus name `org.freedesktop.secrets`.
///
/// A service has a private connection to the message bus, which it opens when first needed. If the bus closes the
/// connection, the call in progress fails and a later call reconnects. A restarted daemon is found without an error.
///
/// All calls block until their deadline at the latest. They can be made from any thread except the one that runs a
/// watch's handler, and they throw ``SecretServiceError``. Only ``unlock(_:by:)`` prompts the user to unlock anything.
public final class SecretService: Sendable {
    /// The configuration that the service was created with.
    public let configuration: Configuration

    let gate: CallGate
    /// The connection, opened when first needed.
    let link = LazyResource<ServiceConnection>()

    /// Creates a service. The connection is opened when first needed.
    public init(_ configuration: Configuration = Configuration()) {
        self.configuration = configuration
        gate = CallGate(
            configuration.interceptor,
            telling: configuration.waits,
            tracing: configuration.trace
        )
    }

    /// Returns `deadline`, or the deadline that the configured timeout sets if it is nil.
    func deadline(by deadline: Deadline?) -> Deadline {
        deadline ?? .after(configuration.timeout)
    }
}

extension SecretService {
    /// The Secret Service to use, and the time to wait for it.
    public struct Configuration: Sendable {
        /// The message bus.
        public var busAddress: BusAddress
        /// The bus name that the daemon owns.
        public var busName: String
        /// The time limit of a call without a deadline. It includes connecting and activation.
        public var timeout: Duration
        /// Indicates whether a call waits for a daemon until its deadline if none is running and the bus cannot start
        /// one.
        public var waitsForDaemon: Bool
        /// Indicates whether a prompt can be shown to the user. By default, true if `DISPLAY` or `WAYLAND_DISPLAY` is
        /// set.
        public var hasDisplay = Self.namesDisplay
        /// The sandbox whose permissions the remedies in error messages name.
        public var sandbox: Sandbox? = .current
        /// Intercepts each method call before it is sent; for tests.
        package var interceptor: CallInterceptor?
        /// Counts the waits for the bus; for tests.
        package var waits: (any WaitObserver)?
        /// Receives each completed method call.
        package var trace: CallTrace?

        /// Creates a configuration: by default for the login session's Secret Service, with a timeout of 5 seconds.
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
