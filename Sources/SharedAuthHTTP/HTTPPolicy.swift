/// The limits and permissions of an ``HTTPClient``.
public struct HTTPPolicy: Sendable, Hashable {
    /// The time until a connection stands, TLS included.
    public var connectTimeout: Duration = .seconds(10)
    /// The time of a whole call: redirects, retries and the pauses between them included.
    ///
    /// It is less than the 40 seconds that `Auth` gives an identity provider, so that a failed call says itself what is known of its
    /// outcome. A call that makes the user's tokens void, such as a refresh, has twice this time: it goes on when the app has had its
    /// time-out, and the new tokens are stored when they come.
    public var callTimeout: Duration = .seconds(30)
    /// The greatest body of an answer, in bytes.
    public var bodyLimit = 1 << 20
    /// Hosts to which plain `http` is allowed, in addition to this machine's own (`localhost`, `127.0.0.0/8`, `::1`).
    public var plainHosts: Set<String> = []
    /// The number of redirects that one call follows: only those of a GET, and only within one origin.
    public var redirectLimit = 5
    /// The number of times that an idempotent request is sent again after a failure that may pass.
    public var retryLimit = 2

    /// Creates the policy that suits identity providers.
    public init() {}
}
