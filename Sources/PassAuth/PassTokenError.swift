/// What reading or making a token throws: a code, and a sentence that says what is wrong and what to do.
///
/// The message names elements and limits, never what a token holds.
public struct PassTokenError: Error, Sendable, Hashable {
    /// What kind of failure it is.
    public let code: Code
    /// What is wrong, and what to do about it; for people.
    public let message: String

    /// Makes an error.
    init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    /// Matches by code, so that `catch PassTokenError.Code.notBase64` works.
    public static func ~= (code: Code, error: PassTokenError) -> Bool { error.code == code }
}

extension PassTokenError: CustomStringConvertible {
    /// The message and the code.
    public var description: String { "\(message) (\(code.rawValue))" }
}
