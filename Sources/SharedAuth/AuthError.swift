/// What SharedAuth throws: a code, and a sentence that says what failed, where, and what to do.
///
/// The message names app ids, access groups and remedies, never a token, a password or an e-mail address.
public struct AuthError: Error, Sendable {
    /// What kind of failure it is.
    public let code: AuthErrorCode
    /// What failed, on which slot, and what to do about it; for people.
    public let message: String
    /// The error below, when there is one.
    public let underlying: (any Error)?

    /// Makes an error; identity providers use it for theirs.
    public init(_ code: AuthErrorCode, _ message: String, underlying: (any Error)? = nil) {
        self.code = code
        self.message = message
        self.underlying = underlying
    }

    /// Matches by code, so that `catch AuthErrorCode.keyringLocked` works.
    public static func ~= (code: AuthErrorCode, error: AuthError) -> Bool { error.code == code }
}

extension AuthError: CustomStringConvertible {
    /// The message and the number of the code.
    public var description: String { "\(message) (\(code.rawValue))" }
}

extension AuthErrorCode {
    /// Matches an error by its code in a `catch` clause.
    public static func ~= (code: AuthErrorCode, error: any Error) -> Bool { (error as? AuthError)?.code == code }
}
