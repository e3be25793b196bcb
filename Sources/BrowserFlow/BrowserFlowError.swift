/// Why a sign-in in the browser brought no answer.
///
/// Match the cause with `catch BrowserFlowError.Code.timedOut`, or switch over ``code`` with a default branch.
public struct BrowserFlowError: Error, Sendable {
    /// The cause.
    public let code: Code
    /// The failure, in words that name no query and no token.
    public let message: String
    /// The remedy, as sentences for people; nil if the message has it, or nothing helps.
    public let remedy: String?

    /// Makes an error; an app's own ``BrowserOpener`` does.
    public init(_ code: Code, _ message: String, remedy: String? = nil) {
        self.code = code
        self.message = message
        self.remedy = remedy
    }

    /// The cause of an error; the set may grow.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        private let name: String

        private init(_ name: String) { self.name = name }

        /// The name of the code, as written in Swift.
        public var description: String { name }

        /// The port of the redirect address cannot be had.
        public static let portUnavailable = Code("portUnavailable")
        /// Another process waits for the addresses of the scheme, or there is no session bus to wait at.
        public static let schemeUnavailable = Code("schemeUnavailable")
        /// No browser can be opened.
        public static let browserNotOpened = Code("browserNotOpened")
        /// The person closed the dialog that asks for a browser.
        public static let dismissed = Code("dismissed")
        /// No answer came in time.
        public static let timedOut = Code("timedOut")
        /// The task was cancelled, or the listener was closed.
        public static let cancelled = Code("cancelled")

        /// Matches any error that is a ``BrowserFlowError`` of this code.
        public static func ~= (code: Code, error: any Error) -> Bool { (error as? BrowserFlowError)?.code == code }
    }
}

extension BrowserFlowError: CustomStringConvertible {
    /// The code, the message and the remedy.
    public var description: String { "\(code): \(message)\(remedy.map { " \($0)" } ?? "")" }
}
