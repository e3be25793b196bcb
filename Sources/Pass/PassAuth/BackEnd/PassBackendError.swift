/// An error of a ``PassBackend``: a code and, if there is one, the message of the TV provider or the server.
public struct PassBackendError: Error, Sendable, Hashable {
    /// The kind of failure.
    public let code: Code
    /// The message, as text for the user; never a token.
    public let message: String
    /// The pause before the next call, if the server asks for one.
    public let retryAfter: Duration?
    /// The server's own report, if it had the server's form; passed on by `preauthorize`.
    public let serverStatus: PreauthorizeResponse.Status?

    /// Creates an error.
    public init(
        _ code: Code,
        _ message: String = "",
        retryAfter: Duration? = nil,
        serverStatus: PreauthorizeResponse.Status? = nil
    ) {
        self.code = code
        self.message = message
        self.retryAfter = retryAfter
        self.serverStatus = serverStatus
    }
}

extension PassBackendError: CustomStringConvertible {
    /// The code and the message.
    public var description: String { message.isEmpty ? code.rawValue : "\(message) (\(code.rawValue))" }
}

extension PassBackendError {
    /// The kind of failure; the set can grow.
    public struct Code: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
        /// The name, as written in Swift.
        public let rawValue: String

        /// The name.
        public var description: String { rawValue }

        /// Creates a code from a name, known or not.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The software statement is not accepted.
        public static let notRegistered = Code(rawValue: "notRegistered")
        /// The server issues no access token.
        public static let noAccessToken = Code(rawValue: "noAccessToken")
        /// The server refuses the request for a reason that the user did not cause.
        public static let badRequest = Code(rawValue: "badRequest")
        /// The programmer is unknown.
        public static let invalidRequestor = Code(rawValue: "invalidRequestor")
        /// The programmer's domain is refused.
        public static let badDomain = Code(rawValue: "badDomain")
        /// The connection is not secure.
        public static let insecure = Code(rawValue: "insecure")
        /// The server, or the address on it, does not exist.
        public static let notFound = Code(rawValue: "notFound")
        /// Too many calls.
        public static let throttled = Code(rawValue: "throttled")
        /// The connection failed or was lost.
        public static let network = Code(rawValue: "network")
        /// No response in time.
        public static let timedOut = Code(rawValue: "timedOut")
        /// The server failed.
        public static let server = Code(rawValue: "server")
        /// The response cannot be decoded.
        public static let invalidAnswer = Code(rawValue: "invalidAnswer")
        /// The registration code has expired.
        public static let codeExpired = Code(rawValue: "codeExpired")
        /// There is no such sign-in, or it has ended: the token or profile is no longer valid.
        public static let notAuthenticated = Code(rawValue: "notAuthenticated")
        /// The sign-in belongs to another app, and the server has none for this app. The token is left for the other
        /// app.
        public static let signedInByOtherApp = Code(rawValue: "signedInByOtherApp")
        /// The device is not the one that the token was issued to.
        public static let deviceMismatch = Code(rawValue: "deviceMismatch")
        /// The TV provider refused.
        public static let denied = Code(rawValue: "denied")
        /// The TV provider refused repeatedly.
        public static let deniedRepeatedly = Code(rawValue: "deniedRepeatedly")
        /// Refused, because the TV provider is out of service (degradation).
        public static let deniedByDegradation = Code(rawValue: "deniedByDegradation")
        /// The TV provider did not respond.
        public static let providerUnreachable = Code(rawValue: "providerUnreachable")
        /// The resource is malformed.
        public static let malformedResource = Code(rawValue: "malformedResource")
        /// More resources than the TV provider accepts in one request.
        public static let tooManyResources = Code(rawValue: "tooManyResources")
        /// The temporary pass has expired or is used up.
        public static let temporaryPassExpired = Code(rawValue: "temporaryPassExpired")
    }
}
