internal import FoundationEssentials
internal import SharedAuth
internal import SharedAuthHTTP

/// The state of a project: accounts, sessions and pending operations. Its methods have no side effects and take the
/// time as a parameter.
struct Directory: Sendable {
    var settings: StandInSettings
    /// The project's id.
    let project: String
    var accounts: [String: Account] = [:]
    var sessions: [String: AccountSession] = [:]
    /// The session of each refresh token ever issued.
    var sessionIDs: [String: String] = [:]
    var codes: [OneTimeCode] = []
    var pendingSignIns: [String: PendingSignIn] = [:]
    var pendingEnrollments: [String: PendingEnrollment] = [:]
    var pendingCredentials: [String: ForeignIdentity] = [:]
    var foreignTokens: [String: ForeignIdentity] = [:]
    var redirects: [String: PendingRedirect] = [:]
    /// The events that are not yet logged.
    var news: [StandInEvent] = []

    init(project: String, settings: StandInSettings) {
        self.project = project
        self.settings = settings
    }

    /// The reply to a call. The tokens of the grant are added when they are signed.
    struct Reply: Sendable {
        var members: [String: JSONValue] = [:]
        var grant: Grant?
    }

    mutating func note(_ kind: StandInEvent.Kind, _ uid: String? = nil, _ detail: String? = nil) {
        news.append(StandInEvent(kind: kind, uid: uid, detail: detail))
    }

    /// Returns the account with an address in a tenant.
    func account(ofEmail email: String, tenantID: String?) -> Account? {
        accounts.values.filter { $0.email == email && $0.tenantID == tenantID }.min { $0.created < $1.created }
    }

    /// Returns the account that an identity of another service is linked to.
    func account(of identity: ForeignIdentity, tenantID: String?) -> Account? {
        accounts.values.first { account in
            account.tenantID == tenantID && account.providers.contains { $0.identity.isSame(as: identity) }
        }
    }

    /// Returns the address of a call, in lower case.
    static func email(_ text: String?) throws(Refusal) -> String {
        guard let text else { throw Refusal("MISSING_EMAIL") }
        guard isEmail(text) else { throw Refusal("INVALID_EMAIL") }
        return text.lowercased()
    }

    static func isEmail(_ text: String) -> Bool {
        let parts = text.split(separator: "@", omittingEmptySubsequences: false)
        return parts.count == 2 && !parts[0].isEmpty && parts[1].contains(".") && !parts[1].hasPrefix(".")
            && !parts[1].hasSuffix(".") && text.utf8.count < 256
            && !text.contains { $0.isWhitespace || $0.isNewline }
    }

    /// Returns the tenant of a call without a session.
    func tenant(_ body: JSONObject) throws(Refusal) -> String? {
        let tenant = body.string("tenantId")
        if let tenant, let known = settings.tenants, !known.contains(tenant) { throw Refusal("INVALID_TENANT_ID") }
        return tenant
    }

    /// Returns a new uid of 28 characters, the length of Google's.
    static func newUID() -> String {
        String(RandomText.make(bytes: 32).filter { $0 != "-" && $0 != "_" }.prefix(28))
    }
}
