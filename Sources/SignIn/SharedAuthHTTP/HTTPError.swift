/// A request that did not get a usable response.
///
/// Match the cause with `catch HTTPError.Code.timedOut`, or switch over ``code`` with a default branch. A status such
/// as 404 is a response, not an error.
public struct HTTPError: Error, Sendable {
    /// The cause.
    public let code: Code
    /// A description of the failure and its server. It contains no path, no query and no token.
    public let message: String
    /// The remedy, in human-readable sentences; nil if the message contains it or there is none.
    public let remedy: String?
    /// Indicates whether the server may have received the request.
    public let requestWasSent: Bool

    /// Creates an error, in a transport.
    public init(_ code: Code, _ message: String, remedy: String? = nil, requestWasSent: Bool = false) {
        self.code = code
        self.message = message
        self.remedy = remedy
        self.requestWasSent = requestWasSent
    }

    /// The cause of an error. The set can grow.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        private let known: Known

        private init(_ known: Known) { self.known = known }

        /// The name of the code, as written in Swift.
        public var description: String { "\(known)" }

        /// The host name has no address, there is no network, or the server or the proxy refuses the connection.
        public static let unreachable = Code(.unreachable)
        /// No complete response arrived in time, and the server cannot have acted on the request or the request may be
        /// repeated.
        public static let timedOut = Code(.timedOut)
        /// The request was sent, but no complete response arrived: it is unknown whether the server acted on it.
        public static let cutOff = Code(.cutOff)
        /// The connection is not secure: the certificate is not trusted, or client and server have no common protocol.
        public static let tls = Code(.tls)
        /// The response is larger than allowed.
        public static let bodyTooLarge = Code(.bodyTooLarge)
        /// The server redirects to a URL that the client does not follow.
        public static let badRedirect = Code(.badRedirect)
        /// The response is not HTTP.
        public static let malformedAnswer = Code(.malformedAnswer)
        /// The task was cancelled.
        public static let cancelled = Code(.cancelled)
        /// The URL is not `https`, and the policy does not allow plain `http` to that host.
        public static let notHTTPS = Code(.notHTTPS)
        /// The URL or a header cannot be sent.
        public static let invalidRequest = Code(.invalidRequest)
        /// A library that the transport needs is not installed, or cannot be loaded in this process.
        public static let transportMissing = Code(.transportMissing)

        /// Matches any error that is an ``HTTPError`` of this code.
        public static func ~= (code: Code, error: any Error) -> Bool { (error as? HTTPError)?.code == code }

        private enum Known {
            case unreachable, timedOut, cutOff, tls, bodyTooLarge, badRedirect, malformedAnswer, cancelled, notHTTPS
            case invalidRequest, transportMissing
        }
    }
}

extension HTTPError: CustomStringConvertible {
    /// The code, the message and the remedy.
    public var description: String { "\(code): \(message)\(remedy.map { " \($0)" } ?? "")" }
}
