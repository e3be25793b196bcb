/// The refusal of Firebase, or of something on the way there: the `underlying` error of an `AuthError`.
/// Printed, it shows the status and the word alone.
public struct IdentityToolkitRefusal: Error, Sendable, Hashable {
    /// The HTTP status.
    public let status: Int
    /// The word for programs, such as `EMAIL_EXISTS`; nil if there is none.
    public let word: String?
    /// The text that it adds for people; it may name an address.
    public let text: String?
    /// The reasons that it names.
    public let reasons: [String]
}

extension IdentityToolkitRefusal: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The status and the word.
    public var description: String { "status \(status)\(word.map { ", \($0)" } ?? "")" }
    /// The status and the word.
    public var debugDescription: String { description }
    /// The status and the word alone: the rest may be personal.
    public var customMirror: Mirror { Mirror(self, children: ["status": status, "word": word as Any]) }
}
