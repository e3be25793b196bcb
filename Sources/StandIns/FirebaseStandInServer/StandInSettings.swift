/// The settings of a ``StandIn``'s project. They can be changed while it runs.
package struct StandInSettings: Sendable, Codable, Hashable {
    /// True if responses hide which addresses have an account: Firebase's e-mail enumeration protection.
    package var protectsAddresses = true
    /// True if several accounts may have the same address.
    package var allowsDuplicateAddresses = false
    /// True if users may create and delete their own accounts.
    package var allowsSignUp = true
    package var allowsAnonymousUsers = true
    /// The lifetime of ID tokens.
    package var idTokenSeconds = 3600
    /// The maximum age of a sign-in for sensitive changes.
    package var recentSignInSeconds = 300
    /// The lifetime of the codes in e-mails.
    package var codeSeconds = 3600
    /// True if a refresh returns a new refresh token. Using the old token again then ends the session.
    package var rotatesRefreshTokens = true
    /// The number of wrong passwords of an account within five minutes after which sign-ins are refused.
    package var attemptLimit = 20
    package var passwordPolicy = PasswordPolicy()
    /// The rules of API keys; see ``APIKeyRule``.
    package var keys: [String: APIKeyRule] = [:]
    /// True if keys that are not in ``keys`` are accepted.
    package var takesAnyKey = true
    /// The tenants. If nil, any tenant is accepted.
    package var tenants: [String]?
    /// The domains that the links of e-mails and the pages of other services may continue to.
    package var authorizedDomains = ["localhost", "127.0.0.1"]
    /// The accepted audiences of other services' tokens, by the provider's id; by default `stand-in-client`.
    package var clientIDs: [String: [String]] = [:]

    package init() {}

    /// True if each duration is between 0 seconds and 100 years.
    package var isPossible: Bool {
        [idTokenSeconds, recentSignInSeconds, codeSeconds].allSatisfy { (0...3_153_600_000).contains($0) }
    }

    /// The client id of providers that are not in ``clientIDs``.
    package static let clientID = "stand-in-client"
}

/// The calls that an API key is refused for.
package enum APIKeyRule: String, Sendable, Codable, Hashable {
    /// No calls.
    case anything
    /// All calls: the key is restricted to apps of this kind, and the caller is of another kind.
    case iOSApps, androidApps, webPages, otherAddresses
    /// Refreshes: the Token Service API is not allowed.
    case noRefresh
    /// All calls except refreshes.
    case noAccounts
    /// All calls: the key is unknown.
    case unknown

    /// Returns Google's refusal of a call, or nil if the key is accepted.
    func refusal(ofRefresh isRefresh: Bool) -> Refusal? {
        switch self {
        case .anything: nil
        case .iOSApps: .blockedKey("API_KEY_IOS_APP_BLOCKED")
        case .androidApps: .blockedKey("API_KEY_ANDROID_APP_BLOCKED")
        case .webPages: .blockedKey("API_KEY_HTTP_REFERRER_BLOCKED")
        case .otherAddresses: .blockedKey("API_KEY_IP_ADDRESS_BLOCKED")
        case .noRefresh: isRefresh ? .blockedKey("API_KEY_SERVICE_BLOCKED") : nil
        case .noAccounts: isRefresh ? nil : .blockedKey("API_KEY_SERVICE_BLOCKED")
        case .unknown: .unknownKey
        }
    }
}
