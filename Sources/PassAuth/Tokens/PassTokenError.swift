/// An error of reading or making a token: a code, and a sentence that says what is wrong and what to do.
///
/// The message names elements and limits, never what a token holds.
public struct PassTokenError: Error, Sendable, Hashable {
    /// The kind of failure.
    public let code: Code
    /// The failure and its remedy, for people.
    public let message: String

    /// Makes an error.
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
        PassTokenError(.malformed, "The token \(what). Fetch it again, or look at what the server sends.")
    }

    static func missing(_ element: String) -> PassTokenError {
        PassTokenError(.missingElement, "The token's \(element) is missing or empty. Look at what the server sends.")
    }

    static func repeated(_ element: String) -> PassTokenError {
        PassTokenError(
            .repeatedElement,
            "The token has more than one \(element), so it is unclear which one counts. Look at what the server sends."
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
    public struct Code: RawRepresentable, Sendable, Hashable {
        /// The name, as written in Swift.
        public let rawValue: String

        /// Makes a code of a name, known or not.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The token is larger than any real one, so nothing of it was read.
        public static let tooLarge = Code(rawValue: "tooLarge")
        /// Elements are nested deeper, or they or references are more, than in any real token.
        public static let tooDeep = Code(rawValue: "tooDeep")
        /// The token or its signature is not base64.
        public static let notBase64 = Code(rawValue: "notBase64")
        /// A document type, an entity declaration, a processing instruction or a comment, which no token needs.
        public static let forbiddenMarkup = Code(rawValue: "forbiddenMarkup")
        /// Not text in UTF-8, not well-formed, or not of the elements that this kind of token has.
        public static let malformed = Code(rawValue: "malformed")
        /// More than one signature, so that it is open which one counts.
        public static let secondSignature = Code(rawValue: "secondSignature")
        /// An element is missing or empty.
        public static let missingElement = Code(rawValue: "missingElement")
        /// An element occurs more than once, so that it is open which one counts.
        public static let repeatedElement = Code(rawValue: "repeatedElement")
        /// A date in none of the formats that are read, or one that is not in the calendar.
        public static let invalidDate = Code(rawValue: "invalidDate")
        /// A lifetime that is not a number of milliseconds, is negative, or is longer than a year.
        public static let invalidLifetime = Code(rawValue: "invalidLifetime")
        /// A value that a token cannot carry unchanged.
        public static let invalidValue = Code(rawValue: "invalidValue")
        /// Not an RSA key in the form expected, or one that is too short.
        public static let invalidKey = Code(rawValue: "invalidKey")

        /// Matches any error that is a ``PassTokenError`` of this code.
        public static func ~= (code: Code, error: any Error) -> Bool { (error as? PassTokenError)?.code == code }
    }
}
