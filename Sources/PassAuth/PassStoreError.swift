/// What the token store throws: a code, and a sentence that says what is wrong and what to do; never what a token holds.
public struct PassStoreError: Error, Sendable {
    /// What kind of failure it is.
    public let code: Code
    /// What is wrong, and what to do about it; for people.
    public let message: String
    /// The error below, when there is one.
    public let underlying: (any Error)?

    /// Makes an error.
    init(_ code: Code, _ message: String, underlying: (any Error)? = nil) {
        self.code = code
        self.message = message
        self.underlying = underlying
    }

    /// Matches by code, so that `catch PassStoreError.Code.locked` works.
    public static func ~= (code: Code, error: PassStoreError) -> Bool { error.code == code }
}

extension PassStoreError: CustomStringConvertible {
    /// The message and the code.
    public var description: String { "\(message) (\(code.rawValue))" }
}
