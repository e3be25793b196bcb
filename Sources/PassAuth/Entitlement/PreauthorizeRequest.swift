/// A question which resources a person may watch, for `preauthorize`; a ``Builder`` makes it.
public struct PreauthorizeRequest: Sendable, Hashable {
    /// A feature that can be switched off.
    @frozen
    public enum Feature: String, Sendable, Hashable, CaseIterable {
        /// The answer that is cached on this machine.
        case localCache = "LOCAL_CACHE"
        /// The answer that is cached on the servers.
        case remoteCache = "REMOTE_CACHE"
    }

    /// The resources.
    public let resources: [String]
    /// The features that are switched off.
    public let disabledFeatures: Set<Feature>

    /// Makes requests; each ``build()`` makes a new one.
    public struct Builder: Sendable {
        private var resources: [String] = []
        private var disabledFeatures: Set<Feature> = []

        /// Makes one that asks for nothing.
        public init() {}

        /// The same, for these resources.
        public func setResources(_ resources: [String]) -> Builder {
            var builder = self
            builder.resources = resources
            return builder
        }

        /// The same, without these features.
        public func disableFeatures(_ features: Set<Feature>) -> Builder {
            var builder = self
            builder.disabledFeatures = features
            return builder
        }

        /// Makes a request.
        public func build() -> PreauthorizeRequest {
            PreauthorizeRequest(resources: resources, disabledFeatures: disabledFeatures)
        }
    }
}

/// The answer to a ``PreauthorizeRequest``.
public struct PreauthorizeResponse: Sendable, Hashable {
    /// The failure; nil if all went well. A status number of 0 means that the error comes from this library, and that
    /// the request failed.
    public let status: Status?
    /// A decision for each resource, or none.
    public let decisions: [Decision]

    /// Whether a resource may be watched.
    public struct Decision: Sendable, Hashable, Identifiable {
        /// The resource.
        public let id: String
        /// Whether it may.
        public let authorized: Bool
        /// Why not, where the server says so.
        public let error: Status?

        /// Makes a decision.
        public init(id: String, authorized: Bool, error: Status? = nil) {
            self.id = id
            self.authorized = authorized
            self.error = error
        }
    }

    /// A failure, in the form of Adobe's servers.
    public struct Status: Sendable, Hashable {
        /// The HTTP status; 0 where the library found it.
        public let status: Int
        /// The failure's name.
        public let code: String
        /// The failure in words, for people.
        public let message: String
        /// More of it.
        public var details: String?
        /// The address of an explanation.
        public var helpUrl: String?
        /// Its name in the servers' logs.
        public var trace: String?
        /// The action to take: `none`, `configuration`, `application-registration`, `authentication`, `authorization`,
        /// `degradation`, `retry` or `retry-after`.
        public let action: String

        /// Makes one.
        public init(status: Int, code: String, message: String, action: String) {
            self.status = status
            self.code = code
            self.message = message
            self.action = action
        }
    }
}

/// The closures of `preauthorize`, which calls one of the two, once.
public struct AccessEnablerCallback: Sendable {
    let onResponse: @Sendable (PreauthorizeResponse) -> Void
    let onFailure: @Sendable (PreauthorizeResponse) -> Void

    /// Makes a callback; it is called where the app's listeners are.
    ///
    /// - Parameters:
    ///   - onResponse: Called with the server's answer.
    ///   - onFailure: Called when no answer came; the response's status says why.
    public init(
        onResponse: @escaping @Sendable (PreauthorizeResponse) -> Void,
        onFailure: @escaping @Sendable (PreauthorizeResponse) -> Void
    ) {
        self.onResponse = onResponse
        self.onFailure = onFailure
    }
}
