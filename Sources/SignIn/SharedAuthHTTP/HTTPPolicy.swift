/// The limits and permissions of an ``HTTPClient``.
public struct HTTPPolicy: Sendable, Hashable {
    /// The time limit for connecting, including TLS.
    public var connectTimeout: Duration = .seconds(10)
    /// The time limit of a whole call, including redirects, retries and the pauses between them.
    ///
    /// It is less than the 40 seconds that `Auth` gives an identity provider, so that a failed call can report what is
    /// known of its outcome. An identity provider's call that invalidates the user's tokens, such as a refresh, has
    /// twice this time: it continues after the app has received its timeout, and the new tokens are stored when they
    /// arrive.
    public var callTimeout: Duration = .seconds(30)
    /// The maximum size of a response's body, in bytes.
    public var bodyLimit = 1 << 20
    /// Hosts to which plain `http` is allowed, in addition to this machine (`localhost`, `127.0.0.0/8`, `::1`).
    public var plainHosts: Set<String> = []
    /// The maximum number of redirects of a request; a retry counts from zero. Only redirects of a GET within one
    /// origin are followed.
    public var redirectLimit = 5
    /// The maximum number of retries of an idempotent request after failures that may pass.
    public var retryLimit = 2

    /// Creates a policy with default values, which suit identity providers.
    public init() {}
}
