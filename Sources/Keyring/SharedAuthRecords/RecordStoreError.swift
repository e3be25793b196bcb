/// An error of a record store.
public struct RecordStoreError: Error, Sendable {
    /// The kind of an error. The set can grow.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        private let known: Known

        private init(_ known: Known) { self.known = known }

        /// The name of the code, as written in Swift.
        public var description: String { "\(known)" }

        /// The store is locked.
        public static let locked = Code(.locked)
        /// The store cannot be reached, or lacks its collection, directory or key.
        public static let unavailable = Code(.unavailable)
        /// The user dismissed the store's prompt, no prompt could be shown, or the call was cancelled.
        public static let dismissed = Code(.dismissed)
        /// The store denied access.
        public static let denied = Code(.denied)
        /// The stored data is not a valid record.
        public static let damaged = Code(.damaged)
        /// The stored record has a newer format.
        public static let newerVersion = Code(.newerVersion)
        /// The deadline passed.
        public static let timedOut = Code(.timedOut)
        /// Another process or device changed the record during the call, or may have because the lock was lost.
        public static let conflict = Code(.conflict)
        /// There is no space left to write.
        public static let full = Code(.full)
        /// Any other error.
        public static let failed = Code(.failed)

        private enum Known {
            case locked, unavailable, dismissed, denied, damaged, newerVersion, timedOut, conflict, full, failed
        }
    }

    /// The kind of the error.
    public let code: Code
    /// A description of the failure; never contains a secret.
    public let message: String
    /// The recommended action, if the store knows more than the code says.
    public let remedy: String?
    /// Indicates whether the change may have taken effect despite the error.
    public let outcomeIsUnknown: Bool
    /// The underlying error, if any.
    public let underlying: (any Error)?

    /// Creates an error.
    public init(
        _ code: Code,
        _ message: String,
        remedy: String? = nil,
        outcomeIsUnknown: Bool = false,
        underlying: (any Error)? = nil
    ) {
        self.code = code
        self.message = message
        self.remedy = remedy
        self.outcomeIsUnknown = outcomeIsUnknown
        self.underlying = underlying
    }
}

extension RecordStoreError: CustomStringConvertible {
    /// The message and the remedy.
    public var description: String { remedy.map { "\(message) \($0)" } ?? message }
}
