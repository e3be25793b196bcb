extension PassTokenError {
    /// What kind of failure it is; the set can grow.
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
        /// An element stands there more than once, so that it is open which one counts.
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
