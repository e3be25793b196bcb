internal import SharedAuth

/// An error of the token store: a code, and a message with the problem and its remedy; never the content of a token.
public struct PassStoreError: Error, Sendable {
    /// The kind of failure.
    public let code: Code
    /// The problem and its remedy, as text for the user.
    public let message: String
    /// The underlying error, if there is one.
    public let underlying: (any Error)?

    /// Creates an error.
    init(_ code: Code, _ message: String, underlying: (any Error)? = nil) {
        self.code = code
        self.message = message
        self.underlying = underlying
    }

    /// Creates the error for a failure of the record store.
    init(_ error: RecordStoreError) {
        let (code, usual): (Code, String) =
            switch error.code {
            case _ where error.outcomeIsUnknown: (.outcomeUnknown, "Read again to check whether the change was made.")
            case .locked: (.locked, "Unlock the keyring; nothing is lost.")
            case .unavailable: (.unavailable, "Start a keyring, such as GNOME Keyring or KWallet.")
            case .dismissed, .denied: (.denied, "Try again, and confirm the keyring's prompt.")
            case .damaged: (.damaged, "Log out and sign in again; the damaged record is set aside, not lost.")
            case .newerVersion: (.newerSchema, "Update this app.")
            case .timedOut: (.timedOut, "Try again; if the problem persists, restart the keyring daemon.")
            case .conflict: (.conflict, "Read again and repeat.")
            case .full: (.full, "Free some space and try again; the stored data is unchanged.")
            default: (.failed, "Check the keyring daemon's log.")
            }
        self.init(code, "\(error.message) \(error.remedy ?? usual)", underlying: error)
    }

    static func damaged(_ key: RecordKey, _ reason: String, _ remedy: String? = nil) -> PassStoreError {
        PassStoreError(RecordStoreError(.damaged, "The record \(key) is damaged: \(reason).", remedy: remedy))
    }

    static func newer(_ key: RecordKey, _ reason: String) -> PassStoreError {
        PassStoreError(RecordStoreError(.newerVersion, "The record \(key) is of a newer version: \(reason)."))
    }

    /// True if the error concerns one record, which cannot be decoded, and not the whole store.
    var isOfOneRecord: Bool { code == .damaged || code == .newerSchema }

    /// Matches by code, so that `catch PassStoreError.Code.locked` works.
    public static func ~= (code: Code, error: PassStoreError) -> Bool { error.code == code }
}

extension PassStoreError: CustomStringConvertible {
    /// The message and the code.
    public var description: String { "\(message) (\(code.rawValue))" }
}

extension PassStoreError {
    /// The kind of failure; the set can grow.
    public struct Code: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
        /// The name, as written in Swift.
        public let rawValue: String

        /// The name.
        public var description: String { rawValue }

        /// Creates a code from a name, known or not.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The keyring is locked; nothing was read or written.
        public static let locked = Code(rawValue: "locked")
        /// No keyring is available; nothing was read or written.
        public static let unavailable = Code(rawValue: "unavailable")
        /// Access was denied, by the user or by a sandbox.
        public static let denied = Code(rawValue: "denied")
        /// The record cannot be decoded; it was left unchanged.
        public static let damaged = Code(rawValue: "damaged")
        /// The record was written by a newer version; it was left unchanged.
        public static let newerSchema = Code(rawValue: "newerSchema")
        /// The deadline passed, and nothing was changed.
        public static let timedOut = Code(rawValue: "timedOut")
        /// The keyring did not respond. Read again to find out whether it made the change.
        public static let outcomeUnknown = Code(rawValue: "outcomeUnknown")
        /// Another process changed the store at the same time.
        public static let conflict = Code(rawValue: "conflict")
        /// No space is left to store anything; the stored data is unchanged.
        public static let full = Code(rawValue: "full")
        /// The keyring failed for a reason that no other code names.
        public static let failed = Code(rawValue: "failed")
        /// The token is not valid for this use, so it was not stored.
        public static let invalidToken = Code(rawValue: "invalidToken")
        /// The app may not use the access group: it is malformed, belongs to another team, or is not declared.
        public static let groupRefused = Code(rawValue: "groupRefused")
        /// The session has ended through a log-out, a new sign-in or the deletion of its token.
        public static let sessionEnded = Code(rawValue: "sessionEnded")

        /// Matches any error that is a ``PassStoreError`` of this code.
        public static func ~= (code: Code, error: any Error) -> Bool { (error as? PassStoreError)?.code == code }
    }
}
