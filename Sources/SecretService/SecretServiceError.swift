package import DesktopSupport

/// Why a call to the Secret Service failed.
///
/// Match the cause with `catch SecretServiceError.Code.locked`, or switch over ``code`` with a default branch.
public struct SecretServiceError: Error, Sendable {
    /// The cause.
    public let code: Code
    /// What failed, and on which object; holds no secret and no attribute's value.
    public let message: String
    /// What to do about it; nil if the message says it, or nothing can be done.
    public let remedy: String?
    /// Whether the request may have been carried out although no answer came; read again to find out.
    public let outcomeIsUnknown: Bool
    /// The D-Bus name of the error that came over the bus, if one did.
    public let remoteErrorName: String?
    /// The unique name of the program that sent the error, or the bus's own; nil if it did not come over the bus.
    var sender: String?
    /// A detail of the failure beyond its code; for this package's own modules.
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
    /// A detail of a failure beyond its code.
    package enum Circumstance: Sendable, Hashable {
        /// A name had another owner until the deadline.
        case waited(LockWait)
        /// It is the message bus that did not answer in time, not the keyring daemon.
        case muteBus
        /// A prompt was shown, and the person did not answer it in time.
        case unansweredPrompt
        /// The bus has closed the connection that owned the caller's lock; nothing was sent.
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
    /// The cause of an error; the set may grow.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        private let name: String

        private init(_ name: String) {
            self.name = name
        }

        /// The name of the code, as written in Swift.
        public var description: String { name }

        /// There is no message bus at the address, or no address.
        public static let noSessionBus = Code("noSessionBus")
        /// The message bus closed the connection; a later call connects again.
        public static let busClosed = Code("busClosed")
        /// No program on the bus answers as the Secret Service, and none could be started, or each one that started died before it answered.
        public static let noDaemon = Code("noDaemon")
        /// The daemon has no default collection.
        public static let noDefaultCollection = Code("noDefaultCollection")
        /// The collection does not exist, or no longer.
        public static let noSuchCollection = Code("noSuchCollection")
        /// The item does not exist, or no longer.
        public static let noSuchItem = Code("noSuchItem")
        /// The object is locked (`org.freedesktop.Secret.Error.IsLocked`).
        public static let locked = Code("locked")
        /// The person, or a daemon without a display, dismissed the prompt, or this program cancelled the call.
        public static let dismissed = Code("dismissed")
        /// No answer came by the deadline, or the daemon died before it reported the outcome of a change.
        public static let timedOut = Code("timedOut")
        /// The bus or the daemon refuses (`org.freedesktop.DBus.Error.AccessDenied`).
        public static let denied = Code("denied")
        /// What the caller passed cannot be sent, or the daemon rejects it.
        public static let invalidArgument = Code("invalidArgument")
        /// The other side answered with something the specification does not foresee.
        public static let protocolViolation = Code("protocolViolation")

        /// Matches any error that is a ``SecretServiceError`` of this code.
        public static func ~= (code: Code, error: any Error) -> Bool {
            (error as? SecretServiceError)?.code == code
        }
    }
}
