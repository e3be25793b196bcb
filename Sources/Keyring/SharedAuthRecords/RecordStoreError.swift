/// An error of a record store.
public struct RecordStoreError: Error, Sendable {
    /// The kind of an error.
    ///
    /// More cases may be added: a `switch` needs an `@unknown default`.
    public enum Code: Sendable, Hashable {
        /// The store is locked.
        case locked
        /// The store cannot be reached, or lacks its collection, directory or key.
        case unavailable
        /// The user dismissed the store's prompt, no prompt could be shown, or the call was cancelled.
        case dismissed
        /// The store denied access.
        case denied
        /// The stored data is not a valid record.
        case damaged
        /// The stored record has a newer format.
        case newerVersion
        /// The deadline passed.
        case timedOut
        /// Another process or device changed the record during the call, or may have because the lock was lost.
        case conflict
        /// There is no space left to write.
        case full
        /// Any other error.
        case failed
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
