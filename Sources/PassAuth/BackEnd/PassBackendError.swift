/// An error of a ``PassBackend``: a code and, if there are any, the TV provider's or the server's words for people.
public struct PassBackendError: Error, Sendable, Hashable {
    /// The kind of failure.
    public let code: Code
    /// The words; never a token.
    public let message: String
    /// The pause before the next call, if the server asks for one.
    public let retryAfter: Duration?
    /// The server's own report, if it came in the server's form; `preauthorize` hands it on.
    public let serverStatus: PreauthorizeResponse.Status?

    /// Makes an error.
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
    /// The code and the words.
    public var description: String { message.isEmpty ? code.rawValue : "\(message) (\(code.rawValue))" }
}

extension PassBackendError {
    /// The kind of failure; the set can grow.
    public struct Code: RawRepresentable, Sendable, Hashable {
        /// The name, as written in Swift.
        public let rawValue: String

        /// Makes a code of a name, known or not.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The software statement is not accepted.
        public static let notRegistered = Code(rawValue: "notRegistered")
        /// The server gives no access token.
        public static let noAccessToken = Code(rawValue: "noAccessToken")
        /// The server finds something wrong in the request that is not the person's doing.
        public static let badRequest = Code(rawValue: "badRequest")
        /// The programmer is not known.
        public static let invalidRequestor = Code(rawValue: "invalidRequestor")
        /// The programmer's domain is refused.
        public static let badDomain = Code(rawValue: "badDomain")
        /// No secure connection.
        public static let insecure = Code(rawValue: "insecure")
        /// There is no such server, or nothing there.
        public static let notFound = Code(rawValue: "notFound")
        /// Too many calls.
        public static let throttled = Code(rawValue: "throttled")
        /// No connection, or one that broke off.
        public static let network = Code(rawValue: "network")
        /// No answer in time.
        public static let timedOut = Code(rawValue: "timedOut")
        /// The server failed.
        public static let server = Code(rawValue: "server")
        /// The answer cannot be understood.
        public static let invalidAnswer = Code(rawValue: "invalidAnswer")
        /// The registration code has expired.
        public static let codeExpired = Code(rawValue: "codeExpired")
        /// There is no such sign-in, or it has ended: the token or profile is no longer valid.
        public static let notAuthenticated = Code(rawValue: "notAuthenticated")
        /// The sign-in belongs to another app, and the server has none for this app. The token is left for the other app.
        public static let signedInByOtherApp = Code(rawValue: "signedInByOtherApp")
        /// The device is not the one that the token was issued to.
        public static let deviceMismatch = Code(rawValue: "deviceMismatch")
        /// The TV provider refused.
        public static let denied = Code(rawValue: "denied")
        /// The TV provider refused again and again.
        public static let deniedRepeatedly = Code(rawValue: "deniedRepeatedly")
        /// Refused, because the TV provider is out of order.
        public static let deniedByDegradation = Code(rawValue: "deniedByDegradation")
        /// The TV provider did not answer.
        public static let providerUnreachable = Code(rawValue: "providerUnreachable")
        /// The resource is malformed.
        public static let malformedResource = Code(rawValue: "malformedResource")
        /// More resources than the TV provider answers for at once.
        public static let tooManyResources = Code(rawValue: "tooManyResources")
        /// The temporary pass has expired, or all that it was good for is used.
        public static let temporaryPassExpired = Code(rawValue: "temporaryPassExpired")
    }
}
