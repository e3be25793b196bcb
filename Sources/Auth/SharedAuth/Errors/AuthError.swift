public import FoundationEssentials

/// An error that SharedAuth throws: a code, a message that says what failed and where, and often a remedy.
///
/// The texts name app ids, access groups and remedies, and never a token, a password or an e-mail address.
public struct AuthError: Error, Sendable {
    /// The kind of failure.
    public let code: AuthErrorCode
    /// A sentence for the user that says what failed, and on which slot.
    public let message: String
    /// Sentences for the user that say what to do; nil if the message says so already, or if nothing can be done.
    public let remedy: String?
    /// Data that the app can use to continue, if there is any.
    public let details: AuthErrorDetails?
    /// The underlying error, if there is one.
    public let underlying: (any Error)?

    /// Creates an error. Identity providers use this for the errors that they throw.
    ///
    /// - Parameters:
    ///   - code: The kind of failure.
    ///   - message: A sentence for the user that says what failed.
    ///   - remedy: Sentences for the user that say what to do, if anything can be done.
    ///   - details: Data that the app can use to continue, if there is any.
    ///   - underlying: The underlying error, if there is one.
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

    /// The message and the remedy, for a user who can read both together.
    package var text: String { remedy.map { "\(message) \($0)" } ?? message }

    /// Matches by code, so that `catch AuthErrorCode.keyringLocked` works.
    public static func ~= (code: AuthErrorCode, error: AuthError) -> Bool { error.code == code }
}

extension AuthError: CustomStringConvertible {
    /// The message, the remedy and the number of the code.
    public var description: String { "\(text) (\(code.rawValue))" }
}

extension AuthError: LocalizedError {
    /// The message, which Foundation returns as `localizedDescription`.
    public var errorDescription: String? { message }

    /// The remedy.
    public var recoverySuggestion: String? { remedy }
}

extension AuthErrorCode {
    /// Matches an error by its code in a `catch` clause.
    public static func ~= (code: AuthErrorCode, error: any Error) -> Bool { (error as? AuthError)?.code == code }
}
