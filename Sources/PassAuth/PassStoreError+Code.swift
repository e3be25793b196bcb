extension PassStoreError {
    /// What kind of failure it is; the set can grow.
    public struct Code: RawRepresentable, Sendable, Hashable {
        /// The name, as written in Swift.
        public let rawValue: String

        /// Makes a code of a name, known or not.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The keyring is locked; nothing was read or written.
        public static let locked = Code(rawValue: "locked")
        /// There is no keyring to talk to; nothing was read or written.
        public static let unavailable = Code(rawValue: "unavailable")
        /// Access was refused, by the person or by a sandbox.
        public static let denied = Code(rawValue: "denied")
        /// What is stored cannot be understood; it was left where it is.
        public static let damaged = Code(rawValue: "damaged")
        /// What is stored was written by a newer version; it was left where it is.
        public static let newerSchema = Code(rawValue: "newerSchema")
        /// The deadline passed, and nothing was changed.
        public static let timedOut = Code(rawValue: "timedOut")
        /// The keyring did not answer; whether it did what it was asked is not known until it is read again.
        public static let outcomeUnknown = Code(rawValue: "outcomeUnknown")
        /// Another process changed the store at the same time.
        public static let conflict = Code(rawValue: "conflict")
        /// There is no room left to store anything; what was stored is as it was.
        public static let full = Code(rawValue: "full")
        /// The keyring failed in a way that no other code names.
        public static let failed = Code(rawValue: "failed")
        /// The token may not be used here and now, so it was not stored.
        public static let invalidToken = Code(rawValue: "invalidToken")
        /// The app may not use the access group: it is malformed, another team's, or not declared.
        public static let groupRefused = Code(rawValue: "groupRefused")
        /// The session has ended: somebody logged out, signed in anew, or its token left.
        public static let sessionEnded = Code(rawValue: "sessionEnded")

        /// Matches any error that is a ``PassStoreError`` of this code.
        public static func ~= (code: Code, error: any Error) -> Bool { (error as? PassStoreError)?.code == code }
    }
}
