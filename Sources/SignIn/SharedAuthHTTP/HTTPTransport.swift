/// Exchanges one request and one response with a server, for an ``HTTPClient``.
///
/// The default is ``LibsoupTransport``. An app with its own HTTP client can use that instead; tests can use a transport
/// that returns prepared responses.
public protocol HTTPTransport: Sendable {
    /// Sends a request and returns the complete response, whatever its status.
    ///
    /// The transport verifies certificates, follows no redirects, keeps no cookies, caches no responses and repeats no
    /// requests. If the task is cancelled, it throws ``HTTPError/Code/cancelled`` immediately.
    /// ``HTTPError/requestWasSent`` of an error states whether the server may have received the request.
    ///
    /// - Throws: Any code of ``HTTPError/Code`` except those of the policy, `notHTTPS` and `badRedirect`.
    func send(_ request: HTTPRequest, within limits: HTTPLimits) async throws(HTTPError) -> HTTPResponse
}

/// The limits of one exchange.
public struct HTTPLimits: Sendable, Hashable {
    /// The time limit for connecting, including TLS.
    public var connect: Duration
    /// The time limit until the last byte of the response, including connecting.
    public var exchange: Duration
    /// The maximum size of the response's body in bytes, counted while reading, after decompression.
    public var body: Int

    /// Creates limits.
    public init(connect: Duration = .seconds(10), exchange: Duration = .seconds(30), body: Int = 1 << 20) {
        self.connect = connect
        self.exchange = exchange
        self.body = body
    }
}
