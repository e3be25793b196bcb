/// A sign-in in the browser that did not return an answer.
///
/// Match the cause with `catch BrowserFlowError.Code.timedOut`, or switch over ``code`` with a default branch.
public struct BrowserFlowError: Error, Sendable {
    /// The cause.
    public let code: Code
    /// A description of the failure. It contains no query and no token.
    public let message: String
    /// The remedy, in human-readable sentences; nil if the message contains it or there is none.
    public let remedy: String?

    /// Creates an error, in an app's own ``BrowserOpener``.
    public init(_ code: Code, _ message: String, remedy: String? = nil) {
        self.code = code
        self.message = message
        self.remedy = remedy
    }

    /// The cause of an error. The set can grow.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        private let known: Known

        private init(_ known: Known) { self.known = known }

        /// The name of the code, as written in Swift.
        public var description: String { "\(known)" }

        /// The port of the redirect URI is not available.
        public static let portUnavailable = Code(.portUnavailable)
        /// Another process already waits for URLs of the scheme, or there is no session bus.
        public static let schemeUnavailable = Code(.schemeUnavailable)
        /// No browser can be opened.
        public static let browserNotOpened = Code(.browserNotOpened)
        /// The user closed the dialog that offers a choice of browsers.
        public static let dismissed = Code(.dismissed)
        /// No answer arrived in time.
        public static let timedOut = Code(.timedOut)
        /// The task was cancelled, or the listener was closed.
        public static let cancelled = Code(.cancelled)

        /// Matches any error that is a ``BrowserFlowError`` of this code.
        public static func ~= (code: Code, error: any Error) -> Bool { (error as? BrowserFlowError)?.code == code }

        private enum Known {
            case portUnavailable, schemeUnavailable, browserNotOpened, dismissed, timedOut, cancelled
        }
    }
}

extension BrowserFlowError: CustomStringConvertible {
    /// The code, the message and the remedy.
    public var description: String { "\(code): \(message)\(remedy.map { " \($0)" } ?? "")" }
}
