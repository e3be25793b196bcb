internal import FoundationEssentials

/// A caller: an instance of an app, on a device.
struct Caller: Sendable {
    let client: Client.ID
    let fingerprint: String
    /// The user that the service token names, for single sign-on among apps.
    let subject: String?
    /// The user's identity, for a promotional temporary pass.
    let identity: String?
}

/// A sign-in in progress: the code for a second screen, and the parameters received so far.
struct LoginSession: Sendable {
    /// The lifetime of a session, in seconds.
    static let lifetime = 1800.0

    let code: String
    let id: String
    let requestor: String
    let caller: Caller
    let begins: Date
    var mvpd: String?
    var domain: String?
    var redirectURL: String?
    /// True if the session has ended, with a profile or without.
    var isOver = false

    var expires: Date { begins + Self.lifetime }

    /// The missing parameters, by their names in requests.
    var missing: [String] {
        [("mvpd", mvpd), ("domainName", domain), ("redirectUrl", redirectURL)].filter { $0.1 == nil }.map(\.0)
    }

    /// The known parameters, by their names in requests.
    var existing: [String: String] {
        ["mvpd": mvpd, "domainName": domain, "redirectUrl": redirectURL, "serviceProvider": requestor]
            .compactMapValues(\.self)
    }

    /// Returns a code that is easy to type, without letters and digits that look alike.
    static func newCode() -> String {
        String((0..<7).map { _ in Array("ABCDEFGHJKLMNPQRSTUVWXYZ23456789").randomElement() ?? "A" })
    }
}
