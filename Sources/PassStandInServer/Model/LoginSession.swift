internal import FoundationEssentials

/// A caller: an instance of an app, on a device.
struct Caller: Sendable {
    let client: Client.ID
    let fingerprint: String
    /// The person whom the service token names, for single sign-on among apps.
    let subject: String?
    /// The person's identity, for a promotion.
    let identity: String?
}

/// A sign-in that is under way: the code that a second screen shows, and what is known of it so far.
struct LoginSession: Sendable {
    /// The life of a session, in seconds.
    static let lifetime = 1800.0

    let code: String
    let id: String
    let requestor: String
    let caller: Caller
    let begins: Date
    var mvpd: String?
    var domain: String?
    var redirectURL: String?
    /// Whether it has ended, with a profile or without.
    var isOver = false

    var expires: Date { begins + Self.lifetime }

    /// The parameters still missing for a sign-in, by their names in requests.
    var missing: [String] {
        [("mvpd", mvpd), ("domainName", domain), ("redirectUrl", redirectURL)].filter { $0.1 == nil }.map(\.0)
    }

    /// The known parameters, by their names in requests.
    var existing: [String: String] {
        ["mvpd": mvpd, "domainName": domain, "redirectUrl": redirectURL, "serviceProvider": requestor]
            .compactMapValues(\.self)
    }

    /// A code that people can type: no letters and digits that look alike.
    static func newCode() -> String {
        String((0..<7).map { _ in Array("ABCDEFGHJKLMNPQRSTUVWXYZ23456789").randomElement() ?? "A" })
    }
}
