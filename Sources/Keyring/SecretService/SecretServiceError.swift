package import DesktopSupport

/// An error of a call to the Secret Service.
///
/// To match a cause, write `catch SecretServiceError.Code.locked`, or switch over ``code`` with a default branch.
public struct SecretServiceError: Error, Sendable {
    /// The cause.
    public let code: Code
    /// The request that failed, its object, and the problem. Contains no secret and no attribute value.
    public let message: String
    /// A remedy; nil if the message includes it, or nothing can be done.
    public let remedy: String?
    /// Indicates whether the request may have been carried out although no reply arrived. Read again to find out.
    public let outcomeIsUnknown: Bool
    /// The D-Bus name of the error, if it was received over the bus.
    public let remoteErrorName: String?
    /// The unique name of the program that sent the error, or the bus's own name; nil if it was not received over the
    /// bus.
    var sender: String?
    /// A detail of the failure in addition to its code; for this package's modules.
    package var circumstance: Circumstance?

    package init(
        code: Code,
        message: String,
        remedy: String? = nil,
        outcomeIsUnknown: Bool = false,
        remoteErrorName: String? = nil
    ) {
        self.code = code
        self.message = message
        self.remedy = remedy
        self.outcomeIsUnknown = outcomeIsUnknown
        self.remoteErrorName = remoteErrorName
    }
}

extension SecretServiceError {
    /// A detail of a failure in addition to its code.
    package enum Circumstance: Sendable, Hashable {
        /// Another process owned a name until the deadline.
        case waited(LockWait)
        /// The message bus, not the keyring daemon, did not reply in time.
        case muteBus
        /// The message bus refused this process: it is another user's, say.
        case refusingBus
        /// There is no bus at the session's address, but one elsewhere.
        case livingBus
        /// The daemon has not loaded a collection whose file exists, so that none should be created.
        case unloadedFile
        /// A prompt was shown, and the user did not respond in time.
        case unansweredPrompt
        /// The bus closed the connection that owned the caller's lock. Nothing was sent.
        case lostLock
    }
}

extension SecretServiceError: CustomStringConvertible {
    /// The code, the message and the remedy.
    public var description: String {
        let warning = outcomeIsUnknown ? " It is unknown whether the request was carried out." : ""
        return "\(code): \(message)\(remedy.map { " \($0)" } ?? "")\(warning)"
    }
}

extension SecretServiceError {
    /// The cause of an error. The set can grow.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        private let known: Known

        private init(_ known: Known) { self.known = known }

        /// The name of the code, as written in Swift.
        public var description: String { "\(known)" }

        /// There is no message bus at the address, or there is no address.
        public static let noSessionBus = Code(.noSessionBus)
        /// The message bus closed the connection. A later call reconnects.
        public static let busClosed = Code(.busClosed)
        /// No program on the bus provides the Secret Service, and none could be started, or each one that started died
        /// before it replied.
        public static let noDaemon = Code(.noDaemon)
        /// The daemon has no default collection.
        public static let noDefaultCollection = Code(.noDefaultCollection)
        /// The collection does not exist, or no longer exists.
        public static let noSuchCollection = Code(.noSuchCollection)
        /// The item does not exist, or no longer exists.
        public static let noSuchItem = Code(.noSuchItem)
        /// The object is locked (`org.freedesktop.Secret.Error.IsLocked`).
        public static let locked = Code(.locked)
        /// The user, or a daemon without a display, dismissed the prompt, or this program cancelled the call.
        public static let dismissed = Code(.dismissed)
        /// No reply arrived before the deadline, or the daemon died before it reported the outcome of a change.
        public static let timedOut = Code(.timedOut)
        /// The bus or the daemon denied access (`org.freedesktop.DBus.Error.AccessDenied`).
        public static let denied = Code(.denied)
        /// An argument cannot be sent, or the daemon rejects it.
        public static let invalidArgument = Code(.invalidArgument)
        /// The daemon or the bus sent a reply that the specification does not define.
        public static let protocolViolation = Code(.protocolViolation)

        /// Matches a ``SecretServiceError`` with this code.
        public static func ~= (code: Code, error: any Error) -> Bool {
            (error as? SecretServiceError)?.code == code
        }

        private enum Known {
            case noSessionBus, busClosed, noDaemon, noDefaultCollection, noSuchCollection, noSuchItem, locked
            case dismissed, timedOut, denied, invalidArgument, protocolViolation
        }
    }
}
