/// Exchanges one request and one answer with a server, for an ``HTTPClient``.
///
/// The default is ``LibsoupTransport``. An app that has an HTTP client of its own can use that instead; tests can use one
/// that answers by itself.
public protocol HTTPTransport: Sendable {
    /// Sends a request and returns the whole answer, whatever its status.
    ///
    /// It verifies certificates, follows no redirect, keeps no cookies, stores no answer, and repeats nothing. It ends at
    /// once, with ``HTTPError/Code/cancelled``, when the task is cancelled. An error states by ``HTTPError/requestWasSent``
    /// whether the server may have received the request.
    /// - Throws: any code of ``HTTPError/Code`` but those of the policy: `notHTTPS`, and `badRedirect`.
    func send(_ request: HTTPRequest, within limits: HTTPLimits) async throws(HTTPError) -> HTTPResponse
}

/// The limits of one exchange.
public struct HTTPLimits: Sendable, Hashable {
    /// The time until the connection stands, TLS included.
    public var connect: Duration
    /// The time until the last byte of the answer, the connection included.
    public var exchange: Duration
    /// The bytes of the answer's body, counted while it is read and after decompression.
    public var body: Int

    /// Creates limits.
    public init(connect: Duration = .seconds(10), exchange: Duration = .seconds(30), body: Int = 1 << 20) {
        self.connect = connect
        self.exchange = exchange
        self.body = body
    }
}
