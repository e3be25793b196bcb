extension SecretService {
    /// Which Secret Service to speak to, and how patiently.
    public struct Configuration: Sendable {
        /// The message bus.
        public var busAddress: BusAddress
        /// The bus name behind which the provider is.
        public var busName: String
        /// How long a call may take that is given no deadline of its own, connecting and activation included.
        public var timeout: Duration
        /// Whether a call that finds no provider, nor one that the bus could start, waits for one until its deadline.
        public var waitsForProvider: Bool
        /// Whether the person can be asked to unlock or make something: where nothing else is said, whether the environment
        /// names a display, in `DISPLAY` or `WAYLAND_DISPLAY`.
        public var hasDisplay = Self.namesDisplay
        /// The sandbox that errors take into account when they say what to do.
        public var sandbox: Sandbox? = .current
        /// Sees each method call before it leaves; for tests.
        package var interceptor: CallInterceptor?
        /// Counts how often the bus is waited for; for tests.
        package var waits: WaitCounter?

        /// The login session's Secret Service with a deadline of 5 seconds, unless told otherwise.
        public init(
            busAddress: BusAddress = .session,
            busName: String = "org.freedesktop.secrets",
            timeout: Duration = .seconds(5),
            waitsForProvider: Bool = false
        ) {
            self.busAddress = busAddress
            self.busName = busName
            self.timeout = timeout
            self.waitsForProvider = waitsForProvider
        }

        private static let namesDisplay = ["DISPLAY", "WAYLAND_DISPLAY"].contains { Environment[$0] != nil }
    }
}
