internal import SharedAuth

/// An error of the token store: a code, and a sentence that says what is wrong and what to do; never what a token
/// holds.
public struct PassStoreError: Error, Sendable {
    /// The kind of failure.
    public let code: Code
    /// The failure and its remedy, for people.
    public let message: String
    /// The error below, when there is one.
    public let underlying: (any Error)?

    /// Makes an error.
    init(_ code: Code, _ message: String, underlying: (any Error)? = nil) {
        self.code = code
        self.message = message
        self.underlying = underlying
    }

    /// Makes the app's error of a failure of the record store.
    init(_ error: RecordStoreError) {
        let (code, usual): (Code, String) =
            switch error.code {
            case _ where error.outcomeIsUnknown: (.outcomeUnknown, "Read again to learn whether the change was made.")
            case .locked: (.locked, "Unlock the keyring; nothing is lost.")
            case .unavailable: (.unavailable, "Start a keyring, such as GNOME Keyring or KWallet.")
            case .dismissed, .denied: (.denied, "Try again, and confirm the keyring's prompt.")
            case .damaged: (.damaged, "Log out and sign in again: what is damaged is then set aside, not lost.")
            case .newerVersion: (.newerSchema, "Update this app.")
            case .timedOut: (.timedOut, "Try again; if it stays so, restart the keyring daemon.")
            case .conflict: (.conflict, "Read again and repeat.")
            case .full: (.full, "Make room and try again: what was stored is as it was.")
            case .failed: (.failed, "Look into the keyring daemon's log.")
            }
        self.init(code, "\(error.message) \(error.remedy ?? usual)", underlying: error)
    }

    static func damaged(_ key: RecordKey, _ reason: String, _ remedy: String? = nil) -> PassStoreError {
        PassStoreError(RecordStoreError(.damaged, "What is stored as \(key) is damaged: \(reason).", remedy: remedy))
    }

    static func newer(_ key: RecordKey, _ reason: String) -> PassStoreError {
        PassStoreError(RecordStoreError(.newerVersion, "What is stored as \(key) is of a newer version: \(reason)."))
    }

    /// Whether it is about one record, which cannot be understood, and not about the store.
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
        /// The record cannot be understood; it was left where it is.
        public static let damaged = Code(rawValue: "damaged")
        /// The record was written by a newer version; it was left where it is.
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
        /// The session has ended: a log-out or a new sign-in ended it, or its token was deleted.
        public static let sessionEnded = Code(rawValue: "sessionEnded")

        /// Matches any error that is a ``PassStoreError`` of this code.
        public static func ~= (code: Code, error: any Error) -> Bool { (error as? PassStoreError)?.code == code }
    }
}
