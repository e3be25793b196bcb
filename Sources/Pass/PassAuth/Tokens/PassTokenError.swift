/// An error in decoding or creating a token: a code, and a message with the problem and its remedy.
///
/// The message names elements and limits, never the content of a token.
public struct PassTokenError: Error, Sendable, Hashable {
    /// The kind of failure.
    public let code: Code
    /// The problem and its remedy, as text for the user.
    public let message: String

    /// Creates an error.
    init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    static func key(_ kind: String, _ label: String) -> PassTokenError {
        PassTokenError(
            .invalidKey,
            "This is not a \(kind) RSA key of at least 2048 bits in PEM. Pass the text from BEGIN \(label) to END \(label)."
        )
    }

    static func malformed(_ what: String) -> PassTokenError {
        PassTokenError(.malformed, "The token \(what). Fetch it again, or check the server's response.")
    }

    static func missing(_ element: String) -> PassTokenError {
        PassTokenError(.missingElement, "The token's \(element) is missing or empty. Check the server's response.")
    }

    static func repeated(_ element: String) -> PassTokenError {
        PassTokenError(
            .repeatedElement,
            "The token has more than one \(element), so it is unclear which one applies. Check the server's response."
        )
    }

    /// Matches by code, so that `catch PassTokenError.Code.notBase64` works.
    public static func ~= (code: Code, error: PassTokenError) -> Bool { error.code == code }
}

extension PassTokenError: CustomStringConvertible {
    /// The message and the code.
    public var description: String { "\(message) (\(code.rawValue))" }
}

extension PassTokenError {
    /// The kind of failure; the set can grow.
    public struct Code: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
        /// The name, as written in Swift.
        public let rawValue: String

        /// The name.
        public var description: String { rawValue }

        /// Creates a code from a name, known or not.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The token is larger than any real one, so it was not read.
        public static let tooLarge = Code(rawValue: "tooLarge")
        /// Elements are nested deeper than in any real token, or there are more elements or references.
        public static let tooDeep = Code(rawValue: "tooDeep")
        /// The token or its signature is not base64.
        public static let notBase64 = Code(rawValue: "notBase64")
        /// The token has a document type, an entity declaration, a processing instruction or a comment, which no token
        /// needs.
        public static let forbiddenMarkup = Code(rawValue: "forbiddenMarkup")
        /// The token is not text in UTF-8, not well-formed, or does not have the elements of this kind of token.
        public static let malformed = Code(rawValue: "malformed")
        /// The token has more than one signature, so it is unclear which one applies.
        public static let secondSignature = Code(rawValue: "secondSignature")
        /// An element is missing or empty.
        public static let missingElement = Code(rawValue: "missingElement")
        /// An element occurs more than once, so it is unclear which one applies.
        public static let repeatedElement = Code(rawValue: "repeatedElement")
        /// A date is in none of the supported formats, or does not exist in the calendar.
        public static let invalidDate = Code(rawValue: "invalidDate")
        /// A lifetime is not a number of milliseconds, is negative, or is longer than a year.
        public static let invalidLifetime = Code(rawValue: "invalidLifetime")
        /// A token cannot carry the value unchanged.
        public static let invalidValue = Code(rawValue: "invalidValue")
        /// The text is not an RSA key in the expected form, or the key is too short.
        public static let invalidKey = Code(rawValue: "invalidKey")

        /// Matches any error that is a ``PassTokenError`` of this code.
        public static func ~= (code: Code, error: any Error) -> Bool { (error as? PassTokenError)?.code == code }
    }
}
