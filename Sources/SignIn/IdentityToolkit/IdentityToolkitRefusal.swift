public import SharedAuth

/// A refusal from Firebase or from a proxy or network in between: the `underlying` error of an `AuthError`. Its
/// description shows only the status and the error code.
public struct IdentityToolkitRefusal: Error, Sendable, Hashable {
    /// The HTTP status.
    public let status: Int
    /// Firebase's error code, such as `EMAIL_EXISTS`; nil if the response has none.
    public let word: String?
    /// The human-readable text of the response; it may contain an e-mail address.
    public let text: String?
    /// The reasons in the response.
    public let reasons: [String]
}

extension IdentityToolkitRefusal: Redacted {
    /// The status and the error code.
    public var description: String { "status \(status)\(word.map { ", \($0)" } ?? "")" }
    /// The status and the error code only; the rest may be personal data.
    public var customMirror: Mirror { Mirror(self, children: ["status": status, "word": word as Any]) }
}
