/// How the project is set up that a ``StandIn`` stands for; everything can be changed while it runs.
package struct StandInSettings: Sendable, Codable, Hashable {
    /// Whether answers hide which addresses have an account: Firebase's e-mail enumeration protection.
    package var protectsAddresses = true
    /// Whether several accounts may have one address.
    package var allowsDuplicateAddresses = false
    /// Whether users may make and delete accounts by themselves.
    package var allowsSignUp = true
    package var allowsAnonymousUsers = true
    /// How long ID tokens last.
    package var idTokenSeconds = 3600
    /// How recent a sign-in has to be for changes that matter.
    package var recentSignInSeconds = 300
    /// How long the codes of mails last.
    package var codeSeconds = 3600
    /// Whether a refresh gives another refresh token; the one before then ends the session when it is used again.
    package var rotatesRefreshTokens = true
    /// How many wrong passwords of an account within five minutes are looked at.
    package var attemptLimit = 20
    package var passwordPolicy = PasswordPolicy()
    /// What API keys are good for; see ``APIKeyRule``.
    package var keys: [String: APIKeyRule] = [:]
    /// Whether keys are taken that are not among ``keys``.
    package var takesAnyKey = true
    /// The tenants; nil: any tenant is accepted.
    package var tenants: [String]?
    /// Where links of mails may lead on to.
    package var authorizedDomains = ["localhost", "127.0.0.1"]
    /// The client ids that tokens of other services may be for, by the provider's id; by default `stand-in-client`.
    package var clientIDs: [String: [String]] = [:]

    package init() {}

    /// Returns whether a clock can count its times: each is from 0 seconds to a hundred years.
    package var isPossible: Bool {
        [idTokenSeconds, recentSignInSeconds, codeSeconds].allSatisfy { (0...3_153_600_000).contains($0) }
    }

    /// The client id of providers that have none of their own.
    package static let clientID = "stand-in-client"
}

/// What an API key is refused for.
package enum APIKeyRule: String, Sendable, Codable, Hashable {
    /// Nothing.
    case anything
    /// Everything but apps of these kinds, and this is none.
    case iOSApps, androidApps, webPages, otherAddresses
    /// Refreshes: the Token Service API is not allowed.
    case noRefresh
    /// Everything but refreshes.
    case noAccounts
    /// Everything: the key is not known.
    case unknown

    /// Google's reason for refusing a call, if it does.
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
