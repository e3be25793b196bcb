/// A request for `preauthorize`: which of these resources the user may watch. A ``Builder`` creates it.
public struct PreauthorizeRequest: Sendable, Hashable {
    /// A feature that can be disabled.
    @frozen
    public enum Feature: String, Sendable, Hashable, CaseIterable {
        /// The response cached on this machine.
        case localCache = "LOCAL_CACHE"
        /// The response cached on the servers.
        case remoteCache = "REMOTE_CACHE"
    }

    /// The resources.
    public let resources: [String]
    /// The disabled features.
    public let disabledFeatures: Set<Feature>

    /// Builds requests; each ``build()`` creates a new one.
    public struct Builder: Sendable {
        private var resources: [String] = []
        private var disabledFeatures: Set<Feature> = []

        /// Creates a builder without resources.
        public init() {}

        /// Returns a builder with these resources.
        public func setResources(_ resources: [String]) -> Builder {
            var builder = self
            builder.resources = resources
            return builder
        }

        /// Returns a builder with these features disabled.
        public func disableFeatures(_ features: Set<Feature>) -> Builder {
            var builder = self
            builder.disabledFeatures = features
            return builder
        }

        /// Creates a request.
        public func build() -> PreauthorizeRequest {
            PreauthorizeRequest(resources: resources, disabledFeatures: disabledFeatures)
        }
    }
}

/// The response to a ``PreauthorizeRequest``.
public struct PreauthorizeResponse: Sendable, Hashable {
    /// The reason why the request failed; nil if it succeeded. The number 0 means that the library reports the failure;
    /// any other number is the server's.
    public let status: Status?
    /// A decision for each resource, or none.
    public let decisions: [Decision]

    /// The decision on one resource.
    public struct Decision: Sendable, Hashable, Identifiable {
        /// The resource.
        public let id: String
        /// Indicates whether the resource may be watched.
        public let authorized: Bool
        /// The reason for a refusal, if the server gives one.
        public let error: Status?

        /// Creates a decision.
        public init(id: String, authorized: Bool, error: Status? = nil) {
            self.id = id
            self.authorized = authorized
            self.error = error
        }
    }

    /// A failure, in the form used by Adobe's servers.
    public struct Status: Sendable, Hashable {
        /// The HTTP status; 0 if the library reports the failure.
        public let status: Int
        /// The failure's name.
        public let code: String
        /// The message, as text for the user.
        public let message: String
        /// Further details.
        public var details: String?
        /// The address of an explanation.
        public var helpUrl: String?
        /// The id of the failure in the servers' logs.
        public var trace: String?
        /// The action to take: `none`, `configuration`, `application-registration`, `authentication`, `authorization`,
        /// `degradation`, `retry` or `retry-after`.
        public let action: String

        /// Creates a status.
        public init(status: Int, code: String, message: String, action: String) {
            self.status = status
            self.code = code
            self.message = message
            self.action = action
        }
    }
}

/// The callbacks of `preauthorize`, which calls one of them, once.
public struct AccessEnablerCallback: Sendable {
    let onResponse: @Sendable (PreauthorizeResponse) -> Void
    let onFailure: @Sendable (PreauthorizeResponse) -> Void

    /// Creates a callback; it is called on the executor of the app's listeners.
    ///
    /// - Parameters:
    ///   - onResponse: Called with the decisions, or with the server's report of a failure.
    ///   - onFailure: Called if the request failed without a report from the server; the status has the reason.
    public init(
        onResponse: @escaping @Sendable (PreauthorizeResponse) -> Void,
        onFailure: @escaping @Sendable (PreauthorizeResponse) -> Void
    ) {
        self.onResponse = onResponse
        self.onFailure = onFailure
    }
}
