package import FoundationEssentials

/// Sends requests to servers under a policy: only over secure connections, within limits, and repeated only if that is
/// safe.
///
/// A client is a value and can be used from any task. All clients with the default transport share its connections.
public struct HTTPClient: Sendable {
    private let transport: any HTTPTransport
    private let policy: HTTPPolicy
    private let dependencies: Dependencies

    /// Creates a client. It opens no connection and loads no library before its first request.
    public init(transport: any HTTPTransport = .libsoup, policy: HTTPPolicy = HTTPPolicy()) {
        self.init(transport: transport, policy: policy, dependencies: Dependencies())
    }

    package init(transport: any HTTPTransport, policy: HTTPPolicy, dependencies: Dependencies) {
        self.transport = transport
        self.policy = policy
        self.dependencies = dependencies
    }

    /// Clock, sleep and randomness; replaced in tests.
    package struct Dependencies: Sendable {
        /// The time used for limits.
        package var now: @Sendable () -> ContinuousClock.Instant = { .now }
        /// The time of day.
        package var date: @Sendable () -> Date = { .now }
        /// Sleeps; throws if the task is cancelled.
        package var sleep: @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
        /// Returns a random number from 0 to 1.
        package var chance: @Sendable () -> Double = { .random(in: 0...1) }

        package init() {}
    }

    /// Indicates whether a request may be sent more than once.
    @frozen
    public enum Retry: Sendable, Hashable {
        /// Repeating the request has no further effect on the server. It is sent again after a failure that may pass.
        case idempotent
        /// Repeating the request may do harm: sign-up, change, deletion, exchange of a code, a refresh that rotates its
        /// token.
        case never
    }

    /// Sends a request and returns the response, whatever its status.
    ///
    /// Redirects of a GET within one origin are followed; any other redirect is an error. With `idempotent`, a failed
    /// connection, a missing, incomplete or malformed response, and the statuses 408, 429, 502, 503 and 504 are retried
    /// as the policy allows, not before the time in the response's `Retry-After`. If the pause does not fit into the
    /// call's time, the last response or error is the result. If the task is cancelled, the call ends immediately.
    ///
    /// - Throws: Any code of ``HTTPError/Code``. With `never`, any failure after the request was sent, except a
    ///   redirect, is ``HTTPError/Code/cutOff``: its outcome is unknown.
    public func send(_ request: HTTPRequest, retrying retry: Retry) async throws(HTTPError) -> HTTPResponse {
        let end = dependencies.now() + policy.callTimeout
        let retries = HTTPRetries(limit: retry == .idempotent ? policy.retryLimit : 0)
        var count = 0
        while true {
            let outcome = await outcome(of: request, by: end)
            let pause = retries.pause(
                after: outcome,
                count: count,
                remaining: dependencies.now().duration(to: end),
                date: dependencies.date(),
                chance: dependencies.chance()
            )
            guard let pause else { return try outcome.mapError { error in error.final(for: retry) }.get() }
            count += 1
            do {
                try await dependencies.sleep(pause)
            } catch {
                throw HTTPError(.cancelled, "The call was cancelled.")
            }
        }
    }

    /// Returns this client for calls that are sent once and take at most this time.
    package func once(within time: Duration) -> HTTPClient {
        with { policy in
            policy.callTimeout = min(policy.callTimeout, time)
            policy.retryLimit = 0
        }
    }

    /// This client with twice the time, for calls that invalidate the present tokens, so that their response must not
    /// be missed.
    package var patient: HTTPClient { with { $0.callTimeout *= 2 } }

    /// This client for responses of a few kilobytes: tokens, keys, metadata, an account.
    package var forDocuments: HTTPClient { with { $0.bodyLimit = min($0.bodyLimit, 128 << 10) } }

    private func with(_ change: (inout HTTPPolicy) -> Void) -> HTTPClient {
        var policy = policy
        change(&policy)
        return HTTPClient(transport: transport, policy: policy, dependencies: dependencies)
    }

    /// Sends a request once and follows its redirects.
    private func outcome(
        of request: HTTPRequest,
        by end: ContinuousClock.Instant
    ) async -> Result<HTTPResponse, HTTPError> {
        let rules = HTTPRules(policy: policy)
        var request = request
        var count = 0
        do throws(HTTPError) {
            while true {
                try rules.check(request)
                let remaining = dependencies.now().duration(to: end)
                let limits = HTTPLimits(
                    connect: min(policy.connectTimeout, remaining),
                    exchange: remaining,
                    body: policy.bodyLimit
                )
                let response = try await transport.send(request, within: limits)
                guard let next = try rules.redirect(of: request, by: response, after: count) else {
                    return .success(response)
                }
                request = next
                count += 1
            }
        } catch {
            return .failure(error)
        }
    }
}

extension HTTPError {
    /// Returns the error that a call with this failure throws.
    fileprivate func final(for retry: HTTPClient.Retry) -> HTTPError {
        switch retry {
        case .never where requestWasSent:
            HTTPError(
                .cutOff,
                "\(message) It is unknown whether the server acted on the request.",
                remedy: "Check the present state before you try again.",
                requestWasSent: true
            )
        case .idempotent where code == .cutOff:
            HTTPError(.unreachable, message, remedy: remedy, requestWasSent: requestWasSent)
        default:
            self
        }
    }
}
