/// Sends requests to servers by a policy: secure, within limits, and again only where that does no harm.
public struct HTTPClient: Sendable {
    private let transport: any HTTPTransport
    private let policy: HTTPPolicy

    /// Creates a client; it opens no connection, and loads nothing before its first request.
    public init(transport: any HTTPTransport = .libsoup, policy: HTTPPolicy = HTTPPolicy()) {
        self.transport = transport
        self.policy = policy
    }

    /// Whether a request may be sent more than once.
    public enum Retry: Sendable, Hashable {
        /// The server does the same thing for one such request as for several: it is sent again after a failure that may pass.
        case idempotent
        /// A second one might do harm: sign-up, change, deletion, exchange of a code, a refresh that rotates its token.
        case never
    }

    /// Sends a request and returns the answer, whatever its status.
    ///
    /// Throws ``HTTPError``; ``HTTPError/Code/cutOff`` only for requests that are never repeated. It ends at once when the
    /// task is cancelled.
    public func send(_ request: HTTPRequest, retrying retry: Retry) async throws(HTTPError) -> HTTPResponse {
        try await transport.send(
            request,
            within: HTTPLimits(connect: policy.connectTimeout, exchange: policy.callTimeout, body: policy.bodyLimit)
        )
    }
}
