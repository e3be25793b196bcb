/// Why a request got no answer that can be used.
///
/// Match the cause with `catch HTTPError.Code.timedOut`, or switch over ``code`` with a default branch. A status such as 404
/// is an answer and no error.
public struct HTTPError: Error, Sendable {
    /// The cause.
    public let code: Code
    /// The failure and its server, in words that name no path, no query and no token.
    public let message: String
    /// The remedy, as sentences for people; nil if the message has it, or nothing helps.
    public let remedy: String?
    /// Whether the server may have received the request.
    public let requestWasSent: Bool

    /// Makes an error; transports do.
    public init(_ code: Code, _ message: String, remedy: String? = nil, requestWasSent: Bool = false) {
        self.code = code
        self.message = message
        self.remedy = remedy
        self.requestWasSent = requestWasSent
    }

    /// The cause of an error; the set may grow.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        private let name: String

        private init(_ name: String) { self.name = name }

        /// The name of the code, as written in Swift.
        public var description: String { name }

        /// The host has no address, there is no network, the server or the proxy refuses the connection.
        public static let unreachable = Code("unreachable")
        /// No whole answer came in time, and the server cannot have acted on the request or may be sent it again.
        public static let timedOut = Code("timedOut")
        /// The request was sent, and no whole answer came: whether the server acted on it is unknown.
        public static let cutOff = Code("cutOff")
        /// The connection is not secure: the certificate is not to be trusted, or the two sides found no common protocol.
        public static let tls = Code("tls")
        /// The answer is larger than allowed.
        public static let bodyTooLarge = Code("bodyTooLarge")
        /// The server redirects to where the client does not follow.
        public static let badRedirect = Code("badRedirect")
        /// The answer is not HTTP.
        public static let malformedAnswer = Code("malformedAnswer")
        /// The task was cancelled.
        public static let cancelled = Code("cancelled")
        /// The address is not `https`, and the policy does not allow plain `http` to that host.
        public static let notHTTPS = Code("notHTTPS")
        /// The address or a header cannot be sent.
        public static let invalidRequest = Code("invalidRequest")
        /// A library that the transport needs is not installed, or cannot be loaded in this process.
        public static let transportMissing = Code("transportMissing")

        /// Matches any error that is an ``HTTPError`` of this code.
        public static func ~= (code: Code, error: any Error) -> Bool { (error as? HTTPError)?.code == code }
    }
}

extension HTTPError: CustomStringConvertible {
    /// The code, the message and the remedy.
    public var description: String { "\(code): \(message)\(remedy.map { " \($0)" } ?? "")" }
}
