internal import FoundationEssentials

/// Who calls: an instance of an app, on a device.
struct Caller: Sendable {
    let client: Client.ID
    let fingerprint: String
    /// Who the service token says the person is, for single sign-on among apps.
    let subject: String?
    /// Who the person is, for a promotion.
    let identity: String?
}

/// A sign-in that is under way: the code that a second screen shows, and what is known of it so far.
struct LoginSession: Sendable {
    /// How long one is good for.
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

    /// What has to be known before anybody can sign in, by its name in requests.
    var missing: [String] {
        [("mvpd", mvpd), ("domainName", domain), ("redirectUrl", redirectURL)].filter { $0.1 == nil }.map(\.0)
    }

    /// What is known, by its name in requests.
    var existing: [String: String] {
        ["mvpd": mvpd, "domainName": domain, "redirectUrl": redirectURL, "serviceProvider": requestor]
            .compactMapValues(\.self)
    }

    /// A code that people can type: no letters and digits that look alike.
    static func newCode() -> String {
        String((0..<7).map { _ in Array("ABCDEFGHJKLMNPQRSTUVWXYZ23456789").randomElement() ?? "A" })
    }
}
