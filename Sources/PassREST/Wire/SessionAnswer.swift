internal import FoundationEssentials
internal import PassAuth
internal import SharedAuth
internal import SharedAuthHTTP

/// The next step of a session of REST v2.
struct SessionAnswer: Sendable {
    /// The kind of next step.
    enum Action: String, Sendable {
        /// The person signs in on a page.
        case authenticate
        /// Parameters are missing.
        case resume
        /// Nobody is needed: there is a profile.
        case authorize
        /// The same again.
        case retry
    }

    /// The life of a code if the server does not tell it.
    private static let usualLifetime: TimeInterval = 1800

    let action: Action
    let code: String?
    let url: String?
    /// The life of the code: a time, as clocks may differ.
    let lifetime: TimeInterval

    /// - Throws: `invalidAnswer` for what is none.
    init(_ object: JSONObject) throws(PassBackendError) {
        guard let action = object.string("actionName").flatMap({ Action(rawValue: $0) }) else {
            throw PassBackendError(
                .invalidAnswer,
                "The answer to the sign-in names no next step that this library knows."
            )
        }
        self.action = action
        code = object.string("code")
        url = object.string("url")
        if let start = object.milliseconds("notBefore"), let end = object.milliseconds("notAfter"), start < end {
            lifetime = end.timeIntervalSince(start)
        } else {
            lifetime = Self.usualLifetime
        }
    }
}

extension JSONObject {
    /// A time in milliseconds since 1970, as a number or its digits; nil for anything else, or beyond the year 9999.
    func milliseconds(_ name: String) -> Date? {
        let number = members[name]?.number ?? members[name]?.string.flatMap { Double($0) }
        guard let number, number >= 0, number < 253_402_300_800_000 else { return nil }
        return Date(timeIntervalSince1970: number / 1000)
    }
}
