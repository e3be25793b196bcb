internal import FoundationEssentials
internal import PassAuth
internal import SharedAuth
internal import SharedAuthHTTP

/// The next step of a session of REST v2.
struct SessionAnswer: Sendable {
    /// The kind of next step.
    enum Action: String, Sendable {
        /// The user signs in on a login page.
        case authenticate
        /// Parameters are missing.
        case resume
        /// A profile exists; no user interaction is needed.
        case authorize
        /// The request has to be sent again, because a parameter is still missing.
        case retry
    }

    /// The lifetime of a code if the server does not return one.
    private static let usualLifetime: TimeInterval = 1800

    let action: Action
    let code: String?
    let url: String?
    /// The lifetime of the code. A duration, because the clocks may differ.
    let lifetime: TimeInterval

    /// Reads a session from a response.
    ///
    /// - Throws: `invalidAnswer` for a response without a known next step.
    init(_ object: JSONObject) throws(PassBackendError) {
        guard let action = object.string("actionName").flatMap({ Action(rawValue: $0) }) else {
            throw PassBackendError(
                .invalidAnswer,
                "The response to the sign-in has no next step that this library knows."
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
    /// Returns a date given in milliseconds since 1970, as a number or a string of digits; nil for anything else, and
    /// for dates after the year 9999.
    func milliseconds(_ name: String) -> Date? {
        let number = members[name]?.number ?? members[name]?.string.flatMap { Double($0) }
        guard let number, number >= 0, number < 253_402_300_800_000 else { return nil }
        return Date(timeIntervalSince1970: number / 1000)
    }
}
