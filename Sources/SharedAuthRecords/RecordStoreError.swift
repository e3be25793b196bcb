/// Why a store could not do what it was asked.
public struct RecordStoreError: Error, Sendable {
    /// The kind of a failure.
    ///
    /// The set may grow: a `switch` over it needs an `@unknown default`.
    public enum Code: Sendable, Hashable {
        /// The store is locked.
        case locked
        /// There is no store to talk to.
        case unavailable
        /// The person dismissed the store's prompt.
        case dismissed
        /// Access was refused.
        case denied
        /// What is stored is not a record.
        case damaged
        /// What is stored is in a newer format.
        case newerVersion
        /// The deadline passed.
        case timedOut
        /// Another process changed the record without the lock.
        case conflict
        /// There is no room left to write.
        case full
        /// Anything else.
        case failed
    }

    /// What kind of failure it is.
    public let code: Code
    /// What failed; never a secret.
    public let message: String
    /// What to do about it, where the store knows better than the code tells.
    public let remedy: String?
    /// Whether the change may have been carried out all the same.
    public let outcomeIsUnknown: Bool
    /// The error below, when there is one.
    public let underlying: (any Error)?

    /// Makes an error.
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
    /// The message, and what to do.
    public var description: String { remedy.map { "\(message) \($0)" } ?? message }
}
