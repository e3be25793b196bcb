/// Why a store could not do what it was asked.
public struct RecordStoreError: Error, Sendable {
    /// What kind of failure it is.
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
        /// Another process changed the record although it was not its turn.
        case conflict
        /// Anything else.
        case failed
    }

    /// What kind of failure it is.
    public let code: Code
    /// What failed and what to do; never a secret.
    public let message: String
    /// Whether the change may have been carried out all the same.
    public let outcomeIsUnknown: Bool
    /// The error below, when there is one.
    public let underlying: (any Error)?

    /// Makes an error.
    public init(_ code: Code, _ message: String, outcomeIsUnknown: Bool = false, underlying: (any Error)? = nil) {
        self.code = code
        self.message = message
        self.outcomeIsUnknown = outcomeIsUnknown
        self.underlying = underlying
    }
}

extension RecordStoreError: CustomStringConvertible {
    /// The message.
    public var description: String { message }
}
