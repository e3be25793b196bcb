public import FoundationEssentials

/// What SharedAuth throws: a code, a sentence that says what failed and where, and what to do about it.
///
/// The texts name app ids, access groups and remedies, never a token, a password or an e-mail address.
public struct AuthError: Error, Sendable {
    /// What kind of failure it is.
    public let code: AuthErrorCode
    /// What failed, and on which slot; for people.
    public let message: String
    /// What to do about it, as sentences for people; nil when the message says it, or nothing can be done.
    public let remedy: String?
    /// What the app can go on with, when there is something.
    public let details: AuthErrorDetails?
    /// The error below, when there is one.
    public let underlying: (any Error)?

    /// Makes an error; identity providers use it for theirs.
    public init(
        _ code: AuthErrorCode,
        _ message: String,
        remedy: String? = nil,
        details: AuthErrorDetails? = nil,
        underlying: (any Error)? = nil
    ) {
        self.code = code
        self.message = message
        self.remedy = remedy
        self.details = details
        self.underlying = underlying
    }

    /// The message and the remedy, for a person who can read both at once.
    package var text: String { remedy.map { "\(message) \($0)" } ?? message }

    /// Matches by code, so that `catch AuthErrorCode.keyringLocked` works.
    public static func ~= (code: AuthErrorCode, error: AuthError) -> Bool { error.code == code }
}

extension AuthError: CustomStringConvertible {
    /// The message, the remedy, and the number of the code.
    public var description: String { "\(text) (\(code.rawValue))" }
}

extension AuthError: LocalizedError {
    /// The message; Foundation's `localizedDescription` is this.
    public var errorDescription: String? { message }

    /// The remedy.
    public var recoverySuggestion: String? { remedy }
}

extension AuthErrorCode {
    /// Matches an error by its code in a `catch` clause.
    public static func ~= (code: AuthErrorCode, error: any Error) -> Bool { (error as? AuthError)?.code == code }
}
